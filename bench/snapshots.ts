import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRecovery } from "../src/snapshots/recovery.ts";
import { takeSnapshot, type TakenSnapshot, USUAL_SNAPSHOT_LIMITS } from "../src/snapshots/take-snapshot.ts";
import { takeState } from "../src/snapshots/turn-states.ts";
import { median } from "./measure.ts";
import type { Suite } from "./suite.ts";

const CHANGED = 100;

/** Snapshots of a large tree and the states of turns in it, beside what git itself needs to see and store the changes. */
export const snapshots: Suite = async ({ quick }) => {
  const trees = [];
  for (const files of quick ? [10_000] : [10_000, 100_000]) trees.push(await measure(files, quick ? 3 : 9));
  const rows = trees.flatMap((tree) => [
    {
      measure: `takeSnapshot, ${tree.files} files, ${CHANGED} changed and ${CHANGED} new, ms`,
      median: tree.snapshotMs,
    },
    { measure: "git stash create (floor; leaves out new files), ms", median: tree.gitStashCreateMs },
    { measure: "git add -A and write-tree in a temporary index (floor), ms", median: tree.gitAddMs },
    { measure: "openRecovery after it, ms", median: tree.recoveryMs },
    { measure: "recoverable(file), ms", median: tree.recoverableFileMs },
    { measure: "recoverable(folder of 100 files), ms", median: tree.recoverableTreeMs },
    { measure: "takeState, nothing changed, ms", median: tree.sameStateMs },
    { measure: "takeState, one file changed, ms", median: tree.stateMs },
    { measure: "git status (floor), ms", median: tree.gitStatusMs },
  ]);
  const {
    snapshotMs = Number.NaN,
    gitAddMs = Number.NaN,
    stateMs = Number.NaN,
    gitStatusMs = Number.NaN,
  } = trees.at(-1) ?? {};
  const ratios = {
    "a snapshot over git add": snapshotMs / gitAddMs,
    "state of a turn over git status": stateMs / gitStatusMs,
  };
  return { rows, result: { changed: CHANGED, trees }, ratios };
};

async function measure(files: number, rounds: number) {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    const workspace = join(folder, "tree");
    makeTree(workspace, files);
    const times = new Map<string, number[]>();
    for (let round = 0; round <= rounds; round++) {
      const measured = await oneRound(workspace, join(folder, String(round)));
      if (round > 0)
        for (const [name, ms] of Object.entries(measured)) times.set(name, [...(times.get(name) ?? []), ms]);
    }
    const of = (name: string) => Math.round(median(times.get(name) ?? []) * 100) / 100;
    return {
      files,
      snapshotMs: of("snapshot"),
      recoveryMs: of("recovery"),
      gitStashCreateMs: of("stash"),
      gitAddMs: of("add"),
      recoverableFileMs: of("file"),
      recoverableTreeMs: of("tree"),
      sameStateMs: of("same"),
      stateMs: of("state"),
      gitStatusMs: of("status"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function oneRound(workspace: string, store: string): Promise<Record<string, number>> {
  mkdirSync(store);
  const limits = { ...USUAL_SNAPSHOT_LIMITS, milliseconds: 60_000 };
  let taken: TakenSnapshot = { state: "unknown", because: "" };
  const snapshot = await timed(async () => void (taken = await takeSnapshot({ workspace, store, limits })));
  let recoverable = (_path: string): boolean | undefined => undefined;
  const recovery = await timed(async () => void ({ recoverable } = await openRecovery(workspace, taken)));
  const ask = (path: string) => () => {
    if (recoverable(join(workspace, path)) !== true) throw new Error(`${path} is not recoverable`);
  };
  if (taken.state === "unknown") throw new Error(taken.because);
  const { store: taker } = taken;
  let known = (await takeState(taker, limits)).known;
  const state = async () => void ({ known } = await takeState(taker, limits, known));
  const index = join(store, "temporary-index");
  const env = { ...process.env, GIT_INDEX_FILE: index };
  return {
    snapshot,
    recovery,
    file: await timed(ask("d7/f7.txt")),
    tree: await timed(ask("d8")),
    same: await timed(state),
    state: await timed(async () => {
      writeFileSync(join(workspace, "d9/f9.txt"), `${store}\n`);
      await state();
    }),
    status: await timed(() => git(workspace, "status", "--porcelain")),
    stash: await timed(() => git(workspace, "stash", "create")),
    add: await timed(() => {
      execFileSync("cp", [join(workspace, ".git/index"), index]);
      execFileSync("git", ["add", "-A"], { cwd: workspace, env });
      execFileSync("git", ["write-tree"], { cwd: workspace, env });
    }),
  };
}

async function timed(work: () => Promise<void> | void): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function git(cwd: string, ...args: string[]): void {
  const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "-c", "gc.auto=0"];
  execFileSync("git", [...identity, ...args], { cwd, stdio: "ignore" });
}

function makeTree(root: string, files: number): void {
  mkdirSync(root);
  git(root, "init", "-q");
  for (let file = 0; file < files; file++) {
    const folder = join(root, `d${file % 100}`);
    if (file < 100) mkdirSync(folder);
    writeFileSync(join(folder, `f${file}.txt`), `line ${file}\n`.repeat(1 + (file % 100)));
  }
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  for (let file = 0; file < CHANGED; file++) {
    writeFileSync(join(root, `d${file}/f${file}.txt`), `changed ${file}\n`);
    writeFileSync(join(root, `d${file}/new.txt`), `new ${file}\n`);
  }
}
