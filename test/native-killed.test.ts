import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "./support/is-alive.ts";
import { scene, until } from "./support/native-scene.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";
import { SIGNALBOX } from "./support/run-signalbox.ts";

/** The live processes that carry a mark. */
function marked(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
      } catch {
        return false;
      }
    })
    .map(Number);
}

test.runIf(process.platform === "linux")(
  "what a killed session left running is ended by sessions, by doctor and by the next session, and nothing else is",
  { timeout: 60_000 },
  async () => {
    const { run, cwd, home, server } = await scene({
      scenes: [
        { when: { contains: "sleep for long" }, turns: [{ shell: "sleep 600" }] },
        { turns: [{ text: "done" }] },
      ],
    });
    withoutSandbox(home);
    const marks = join(home, ".signalbox", "commands");
    const known = new Set<string>();
    const begin = async () => {
      const child = spawn(SIGNALBOX, ["native", "-p", "sleep for long"], {
        cwd,
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          SIGNALBOX_MODEL: "compatible/m",
          SIGNALBOX_BASE_URL: `${server.url}/v1`,
        },
        stdio: "ignore",
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let mark: string | undefined;
      await until(() => {
        mark = namesIn(marks).find((name) => !known.has(name) && marked(name).length > 0);
        return mark !== undefined;
      });
      known.add(mark ?? "");
      const kill = async () => {
        child.kill("SIGKILL");
        await once(child, "exit");
      };
      return { mark: mark ?? "", kill };
    };

    const lives = await begin();
    onTestFinished(() => marked(lives.mark).forEach((pid) => process.kill(pid, "SIGKILL")));
    for (const verb of [["sessions", "list"], ["doctor"], ["native", "-p", "y"]]) {
      const session = await begin();
      await session.kill();
      const left = marked(session.mark).length;
      const next = await run(verb);
      expect([verb[0], left, marked(session.mark), marked(lives.mark).length]).toEqual([verb[0], 1, [], 1]);
      expect(next.stderr).toContain("ended 1 process that a killed session had left running");
      expect(namesIn(marks)).toEqual([lives.mark]);
    }
    await lives.kill();
    expect((await run(["sessions", "list"])).stderr).toBe(
      "signalbox: ended 1 process that a killed session had left running\n",
    );
    expect([namesIn(marks), marked(lives.mark)]).toEqual([[], []]);
  },
);

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
