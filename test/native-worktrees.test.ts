import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ScriptInput } from "../src/models/scripted/script.ts";
import { everything, git, writeFiles } from "./support/git-repository.ts";
import { scene, until } from "./support/native-scene.ts";
import { SIGNALBOX } from "./support/run-signalbox.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", input: { command } }] });
const task = (prompt: string) => ({
  name: "task",
  input: { description: `write the ${prompt}`, prompt, agent_type: "general-purpose" },
});

type Turn = NonNullable<ScriptInput["turns"]>[number];

/** A repository with history and changes, and a model that splits a task in two. */
async function split(parts: readonly [Turn, Turn]) {
  const [roof, door] = parts;
  const scenes = [
    { when: { contains: "roof of the house" }, turns: [roof, { text: "The roof is done." }] },
    { when: { contains: "door of the house" }, turns: [door, { text: "The door is done." }] },
    { turns: [{ calls: [task("roof of the house"), task("door of the house")] }, { text: "Done." }] },
  ];
  const place = await scene({ scenes });
  const { cwd } = place;
  writeFiles(cwd, { "plan.txt": "one\ntwo\nthree\nfour\nfive\n", ".gitignore": "*.log\n" });
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "the plan");
  writeFiles(cwd, { "plan.txt": "ONE\ntwo\nthree\nfour\nfive\n", "untracked.txt": "u\n" });
  return { ...place, read: (name: string) => readFileSync(join(cwd, name), "utf8") };
}

test("a task is split over sub-agents in copies, in the sandbox, and merged without touching the repository", async () => {
  const { run, cwd, home, read, server } = await split([
    bash(
      "git log --format=%s -2 > log.txt && git status --porcelain >> log.txt && sed -i s/two/TWO/ plan.txt && echo x > a.log",
    ),
    bash("cat untracked.txt && sed -i s/five/FIVE/ plan.txt && git diff && echo d > door.txt"),
  ]);
  const before = everything(join(cwd, ".git"));
  const { code, stdout, stderr } = await run(["native", "--worktrees", "2", "-p", "build the house"]);
  expect([code, stdout]).toEqual([0, "Done.\n"]);
  expect(read("plan.txt")).toBe("ONE\nTWO\nthree\nfour\nFIVE\n");
  expect([read("log.txt"), read("door.txt"), existsSync(join(cwd, "a.log"))]).toEqual([
    "The workspace as the run found it\nthe plan\n?? log.txt\n",
    "d\n",
    false,
  ]);
  expect(everything(join(cwd, ".git"))).toEqual(before);
  expect(stderr).toMatch(/general-purpose-1: 2 files merged into the workspace; its changes as a patch: \S+\n/);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Merged into the workspace, 2 files: ");
  expect(readdirSync(join(home, ".signalbox/worktrees"))).toEqual([]);
});

test("a conflict that nobody resolves is named with both versions, and the exit code is 9", async () => {
  const { run, read } = await split([bash("sed -i s/three/roof/ plan.txt"), bash("sed -i s/three/door/ plan.txt")]);
  const { code, stderr } = await run(["native", "--worktrees", "2", "-p", "build the house"]);
  expect(code).toBe(9);
  const [, theirs = ""] =
    /general-purpose-\d: plan\.txt: both sides changed the same lines[^;]*; the sub-agent's version: (\S+);/.exec(
      stderr,
    ) ?? [];
  const lines = [readFileSync(theirs, "utf8"), read("plan.txt")].map((text) => text.split("\n")[2]);
  expect(new Set(lines)).toEqual(new Set(["door", "roof"]));
  expect(stderr).toContain("not finished: Changes of sub-agents were not merged in plan.txt.");
});

test("after kill -9 the workspace is as it was, and the next start removes the copies", async () => {
  const hangs = { failures: [{ hang: true as const }], text: "never" };
  const { run, cwd, home, server } = await split([hangs, hangs]);
  const before = everything(cwd);
  const env = {
    ...process.env,
    HOME: home,
    SIGNALBOX_MODEL: "compatible/m",
    SIGNALBOX_BASE_URL: `${server.url}/v1`,
  };
  const child = spawn(SIGNALBOX, ["native", "--worktrees", "2", "-p", "build the house"], {
    cwd,
    env,
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await until(() => server.requests.length === 3);
  const copies = () => {
    const folder = join(home, ".signalbox/worktrees");
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.map((name) => existsSync(join(tmpdir(), `signalbox-stage-${name}`)));
  };
  expect(copies()).toEqual([true, true]);
  const names = readdirSync(join(home, ".signalbox/worktrees"));
  child.kill("SIGKILL");
  await once(child, "exit");
  // The sandbox, which was opened beside the first request, holds the place of missing files until the next one starts.
  const standIns = { ".git/commondir": ".\n", ".git/config.worktree": "" };
  expect({ ...everything(cwd), ...standIns }).toEqual({ ...before, ...standIns });
  await run(["native", "-p", "roof of the house"]);
  expect([copies(), names.filter((name) => existsSync(join(tmpdir(), `signalbox-stage-${name}`)))]).toEqual([[], []]);
});

test.each([
  [["--worktrees", "0"], "--worktrees needs a whole number from 1 to 16"],
  [["--worktrees", "100"], "--worktrees needs a whole number from 1 to 16"],
  [["--worktrees", "-1"], "--worktrees"],
  [["--worktrees", "two"], "--worktrees needs a whole number"],
  [["--worktrees", "2", "--acp"], "with --acp, tasks and sessions come from the editor"],
])("%j is refused", async (flags, because) => {
  const { run } = await scene({ turns: [{ text: "Hello." }] });
  const { code, stderr } = await run(["native", ...flags, ...(flags.includes("--acp") ? [] : ["-p", "x"])]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(because)]);
});
