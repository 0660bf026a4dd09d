import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { containedWork, DONE, writeFiles } from "../support/contained-work.ts";
import { isOnPath } from "../support/is-on-path.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { FORMS, WITHOUT_NAMESPACES } from "../support/sandbox-scene.ts";
import { CONTAINED, containedAgent } from "./contained-agent.ts";

const hasParts = FORMS.includes("landlock") && ["npm", "curl"].every(isOnPath);

const PARTLY = "contained: partly (disk, home, network), by Landlock, because ";

describe.skipIf(!hasParts)("on a machine that refuses user namespaces", () => {
  test.each(CONTAINED)("%s works contained by Landlock, with no question, and nothing gets out", async (name) => {
    const work = await containedWork();
    const denied = { shell: "echo evil >> .github/workflows/ci.yml; cat .git/config >> page" };
    await using agent = await containedAgent(name, { turns: [...work.turns, denied, { text: "all done" }] });
    const { cwd, home } = agent;
    // In this form commands have a home of their own at another path.
    const env = { ...agent.env, USERS_HOME: home };
    writeFiles(cwd, { ".github/workflows/ci.yml": "as it was\n" });
    work.prepare(cwd, home);
    const { code, stderr } = await signalbox([name, "-p", "work"], { cwd, env, wrapper: WITHOUT_NAMESPACES });
    expect([work.result(cwd, home), code]).toEqual([DONE, 0]);
    expect(stderr).toContain(PARTLY);
    expect(readFileSync(join(cwd, ".github/workflows/ci.yml"), "utf8")).toBe("as it was\n");
    const told = JSON.stringify(agent.model.requests.at(-1)?.body);
    expect(told).toContain(`blocked by the sandbox: host:${work.other.port}`);
    expect(told).toContain(".git/hooks is protected, so it was put back as it was before");
    expect(told).toContain("Blocked `.github/workflows/ci.yml`");
  });

  test("a run says in its receipt which form contained it", async () => {
    const work = await containedWork();
    await using agent = await containedAgent("claude", { turns: [...work.turns, { text: "all done" }] });
    const { cwd, home } = agent;
    const env = { ...agent.env, USERS_HOME: home };
    work.prepare(cwd, home);
    const run = ["run", "claude", "work", "--accept", "test -s tested"];
    const { code } = await signalbox(run, { cwd, env, wrapper: WITHOUT_NAMESPACES });
    expect([work.result(cwd, home), code]).toEqual([DONE, 0]);
    const { stdout } = await signalbox(["receipt", "show", "last"], { cwd, env });
    expect(stdout).toMatch(/^contained +partly: disk, home, network \(Landlock, proven \S+\); nothing ran outside$/m);
    const { stdout: json } = await signalbox(["receipt", "verify", "last", "--json"], { cwd, env });
    expect(json).toContain('"good":true');
  });

  test("strict and --require-sandbox refuse it, and name the setting that would take it", async () => {
    await using agent = await containedAgent("claude", { turns: [{ text: "done" }] });
    const { cwd, env } = agent;
    const required = await signalbox(["claude", "--require-sandbox", "-p", "x"], {
      cwd,
      env,
      wrapper: WITHOUT_NAMESPACES,
    });
    expect([required.code, required.stderr]).toEqual([3, expect.stringContaining("landlock: allow")]);
  });

  test("its own guarantees are proven, in the place of those of the other form", { timeout: 600_000 }, async () => {
    await using agent = await containedAgent("claude", { turns: [{ text: "done" }] });
    const only = "partly-write,partly-home,partly-host,partly-session,partly-restored,contained-write,nothing-left";
    const { stdout } = await signalbox(["prove", "claude", "--only", only, "--json"], {
      cwd: agent.cwd,
      env: agent.env,
      wrapper: WITHOUT_NAMESPACES,
    });
    const report: { agents: readonly { guarantees: readonly { id: string; verdict: string }[] }[] } =
      JSON.parse(stdout);
    expect(report.agents[0]?.guarantees.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["partly-write", "PASS"],
      ["partly-home", "PASS"],
      ["partly-host", "PASS"],
      ["partly-session", "PASS"],
      ["partly-restored", "PASS"],
      ["nothing-left", "PASS"],
    ]);
  });

  test("doctor and sandbox --why name the form and what refuses the other one", async () => {
    await using agent = await containedAgent("native", { turns: [{ text: "done" }] });
    const parts = { cwd: agent.cwd, env: agent.env, wrapper: WITHOUT_NAMESPACES };
    execFileSync("git", ["status"], { cwd: agent.cwd });
    const { stdout: doctor } = await signalbox(["doctor"], parts);
    expect(doctor).toContain("contained: partly (disk, home, network), by Landlock, because ");
    const { stdout: why } = await signalbox(["sandbox", "--why"], parts);
    expect(why).toMatch(/^bubblewrap: no\n {2}refused: .*namespace.*\n {2}fix: /);
    expect(why).toContain("\nLandlock (the weaker form): works, and is used\n");
    expect(why).toContain("without it: hidden files of the workspace, such as .env, can be read");
    const { stdout: judged } = await signalbox(["guard", "explain", "cat .env"], parts);
    expect(judged).toContain("in a weaker sandbox (disk, home, network), by Landlock");
    expect(existsSync(join(agent.env["HOME"] ?? "", ".signalbox/sandbox-proof.json"))).toBe(true);
  });
});
