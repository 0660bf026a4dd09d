import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type StandIn, standInAgent } from "./support/stand-in-agent.ts";
import { tempRepository } from "./support/temp-folder.ts";

const LAUNCHER = join(import.meta.dirname, "fixtures/launch-with-prompt-file.ts");
const PROMPT = "it's a task\n".repeat(1000);

/** Copies the prompt file, notes its place and mode, and waits to be told to end. */
const READER = `cat "$2" >"$RECORD/copy"; { stat -c %a "$2" || stat -f %Lp "$2"; } >"$RECORD/mode" 2>/dev/null
trap 'exit 0' TERM INT; echo "$2" >"$RECORD/place.part"; mv "$RECORD/place.part" "$RECORD/place"; while [ ! -e "$RECORD/go" ]; do sleep 0.02; done`;

function start(agent: StandIn): ChildProcess {
  const args = [LAUNCHER, join(agent.folder, "claude"), PROMPT];
  return spawn(process.execPath, args, {
    cwd: tempRepository(),
    env: { ...process.env, ...agent.env },
    stdio: "ignore",
  });
}

const noted = (agent: StandIn, name: string) => join(agent.env["RECORD"] ?? "", name);

async function placeOfFile(agent: StandIn): Promise<string> {
  for (let tries = 0; tries < 500 && !existsSync(noted(agent, "place")); tries++) await sleep(20);
  return readFileSync(noted(agent, "place"), "utf8").trim();
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "a prompt file is whole and private while the agent runs, and gone after %s",
  async (signal) => {
    const agent = standInAgent("claude", READER);
    const child = start(agent);
    const place = await placeOfFile(agent);
    expect([
      existsSync(place),
      readFileSync(noted(agent, "copy"), "utf8") === PROMPT,
      readFileSync(noted(agent, "mode"), "utf8"),
    ]).toEqual([true, true, "600\n"]);
    child.kill(signal);
    const [code] = await once(child, "exit");
    expect([code, existsSync(place)]).toEqual([signal === "SIGTERM" ? 143 : 130, false]);
  },
);

test("a prompt file is gone after the agent has ended by itself", async () => {
  const agent = standInAgent("claude", READER.replace("while", "exit 5; while"));
  const [code] = await once(start(agent), "exit");
  expect([code, existsSync(await placeOfFile(agent))]).toEqual([5, false]);
});

test("a prompt file that a kill -9 left behind is gone at the next start", async () => {
  const agent = standInAgent("claude", READER);
  const child = start(agent);
  const place = await placeOfFile(agent);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(existsSync(place)).toBe(true);

  const other = standInAgent("claude", "exit 0");
  await once(start({ ...other, env: { ...other.env, TMPDIR: agent.env["TMPDIR"] } }), "exit");
  expect(existsSync(place)).toBe(false);
});
