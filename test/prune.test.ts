import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { takeLock } from "../src/lib/files/lock.ts";
import { writeFiles } from "./support/git-repository.ts";
import { inOtherNamespace } from "./support/pid-namespace.ts";
import { addRun, DAY, runId } from "./support/prune-scene.ts";
import { PROJECT, SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

const OLD = Date.now() - 60 * DAY;

/** A home with old runs. */
function scene(count: number) {
  const HOME = tempFolder();
  const workspace = tempFolder();
  const home = join(HOME, ".signalbox");
  for (let number = 1; number <= count; number++) addRun(home, workspace, { number, time: OLD });
  const run = async (...args: string[]) => await signalbox(args, { env: { HOME } });
  return { HOME, home, workspace, run };
}

const runsIn = (home: string) => readdirSync(join(home, "runs")).filter((name) => name !== "lock.db");

test("prune lists, removes, is counted by verify, and asks where nobody said how old", async () => {
  const { home, run, workspace } = scene(3);
  const dry = await run("prune", "--older-than", "30d", "--dry-run");
  expect(dry.stdout.split("\n").at(-2)).toMatch(/^would remove 7 things, \d+ bytes$/);
  expect(runsIn(home)).toHaveLength(3);

  const unasked = await run("prune");
  expect([unasked.code, unasked.stderr]).toEqual([3, expect.stringContaining("pass --older-than with an age")]);
  const inside = await signalbox(["prune", "--older-than", "30d", "--yes"], {
    env: { HOME: join(home, ".."), SIGNALBOX_RUN: "x" },
  });
  expect([inside.code, inside.stderr]).toEqual([3, expect.stringContaining("a session cannot prune")]);
  const wrong = [await run("prune", "--older-than", "soon"), await run("prune", "memories")];
  expect(wrong.map(({ code }) => code)).toEqual([2, 2]);
  expect(runsIn(home)).toHaveLength(3);

  const done = await run("prune", "--older-than", "30d", "--json");
  const report: unknown = JSON.parse(done.stdout);
  expect([done.code, report]).toEqual([0, expect.objectContaining({ dry_run: false, kept: [] })]);
  expect([runsIn(home), readdirSync(join(home, "audit")), readdirSync(join(home, "pruning"))]).toEqual([[], [], []]);
  expect(existsSync(join(workspace, ".agent-backplane/artifacts", runId(1)))).toBe(false);
  const [receipts, audit] = [await run("receipt", "verify"), await run("audit", "verify")];
  expect([receipts.code, audit.code]).toEqual([0, 0]);
  expect(receipts.stdout).toMatch(/^good: 3 receipts, \d+ bytes, one unbroken chain\n3 artifacts pruned on 20/);
  expect(audit.stdout).toMatch(/^good: 0 records in 0 segments, 3 anchors\n3 segments pruned on 20/);

  expect((await run("receipt", "list")).stdout).not.toContain("pruned");
  await run("prune", "receipts", "--older-than", "30d");
  const listed = (await run("receipt", "list")).stdout.trimEnd().split("\n");
  expect(listed.filter((line) => /, pruned 20\d\d-\d\d-\d\d$/.test(line))).toHaveLength(3);
});

test("a session that another process has open stays, also one in another container", async () => {
  const { HOME, home, run } = scene(0);
  const id = "20260101-000000-0123abcd";
  writeFiles(join(home, "sessions"), { [`${id}.jsonl`]: "" });
  using _lock = takeLock(join(home, "sessions", `${id}.lock`));
  const seen: { readonly stdout: string }[] = [await run("prune", "sessions", "--older-than", "0d")];
  if (inOtherNamespace !== undefined) {
    const [program = "", ...words] = inOtherNamespace;
    seen.push(await ended(spawn(program, [...words, SIGNALBOX, "prune", "--older-than", "0d"], { env: env(HOME) })));
  }
  for (const { stdout } of seen) expect(stdout).toContain(`kept  session ${id}: it is open\n`);
});

const env = (HOME: string) => ({ PATH: process.env["PATH"], HOME });

async function ended(child: ChildProcess): Promise<{ readonly code: number | null; readonly stdout: string }> {
  let stdout = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  return await new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout })));
}

describe("a prune that is killed", () => {
  test.each([
    ["when it has recorded the artifacts", "heads", (name: string) => name === "receipts.pruned.jsonl"],
    ["when the first run is out of the way", "pruning", () => true],
    ["when it has recorded the segments", "heads", (name: string) => name === "audit.pruned.jsonl"],
  ] as const)("%s leaves everything verifiable, and the next one finishes", async (_, folder, isMoment) => {
    const { HOME, home, run } = scene(40);
    const seen = Promise.withResolvers<void>();
    writeFiles(home, { [`${folder}/.watched`]: "" });
    const watcher = watch(
      join(home, folder),
      (_event, name) => name !== ".watched" && isMoment(name ?? "") && seen.resolve(),
    );
    const child = spawn(SIGNALBOX, ["prune", "--older-than", "30d"], { cwd: PROJECT, env: env(HOME), detached: true });
    const close = ended(child);
    await Promise.race([seen.promise, close]);
    watcher.close();
    rmSync(join(home, folder, ".watched"), { force: true });
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It was faster than the watcher, which is one of the moments too.
    }
    await close;
    const verify = async () => [await run("receipt", "verify"), await run("audit", "verify")].map(({ code }) => code);
    expect(await verify()).toEqual([0, 0]);
    const second = await run("prune", "--older-than", "30d");
    expect([second.code, runsIn(home), readdirSync(join(home, "pruning"))]).toEqual([0, [], []]);
    expect(await verify()).toEqual([0, 0]);
  });
});

test("two prunes at once remove everything once", async () => {
  const { home, run } = scene(20);
  const both = await Promise.all([run("prune", "--older-than", "30d"), run("prune", "--older-than", "30d")]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const removed = both.flatMap(({ stdout }) => stdout.split("\n").filter((line) => line.startsWith("removed  run ")));
  expect([removed.length, new Set(removed).size, runsIn(home)]).toEqual([20, 20, []]);
  expect((await run("receipt", "verify")).code).toBe(0);
});

test("a run of a newer signalbox is named by runs and cancel, and stays", async () => {
  const { home, run } = scene(1);
  const file = join(home, "runs", runId(1), "run.json");
  writeFileSync(file, '{"version":2,"run_id":"x","mode":"hologram"}');
  const shown = [await run("runs", "--all"), await run("cancel", runId(1)), await run("prune", "--older-than", "0d")];
  expect(shown.map(({ stdout, stderr }) => `${stdout}${stderr}`)).toEqual(
    shown.map(() => expect.stringContaining("written by a newer signalbox (format 2)")),
  );
  expect(existsSync(file)).toBe(true);
});
