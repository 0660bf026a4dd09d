import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRecovery } from "../src/snapshots/recovery.ts";
import { takeSnapshot, type TakenSnapshot, USUAL_SNAPSHOT_LIMITS } from "../src/snapshots/take-snapshot.ts";
import type { Suite } from "./suite.ts";

const FILES = 10_000;
const CHANGED = 100;

/** A snapshot of a tree of 10,000 files, beside what git itself needs to see and store the same changes. */
export const snapshots: Suite = async ({ quick }) => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    const workspace = join(folder, "tree");
    makeTree(workspace);
    const times: Record<string, number[]> = { snapshot: [], recovery: [], stash: [], add: [], file: [], tree: [] };
    for (let round = 0; round <= (quick ? 3 : 9); round++) {
      const measured = await oneRound(workspace, join(folder, String(round)));
      if (round > 0) for (const [name, ms] of Object.entries(measured)) times[name]?.push(ms);
    }
    const median = (name: string) => {
      const sorted = (times[name] ?? []).toSorted((a, b) => a - b);
      return Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 100) / 100;
    };
    const result = {
      files: FILES,
      changed: CHANGED,
      snapshotMs: median("snapshot"),
      recoveryMs: median("recovery"),
      gitStashCreateMs: median("stash"),
      gitAddMs: median("add"),
      recoverableFileMs: median("file"),
      recoverableTreeMs: median("tree"),
    };
    return {
      rows: [
        {
          measure: `takeSnapshot, ${FILES} files, ${CHANGED} changed and ${CHANGED} new, ms`,
          median: result.snapshotMs,
        },
        { measure: "git stash create (floor; leaves out new files), ms", median: result.gitStashCreateMs },
        { measure: "git add -A and write-tree in a temporary index (floor), ms", median: result.gitAddMs },
        { measure: "openRecovery after it, ms", median: result.recoveryMs },
        { measure: "recoverable(file), ms", median: result.recoverableFileMs },
        { measure: "recoverable(folder of 100 files), ms", median: result.recoverableTreeMs },
      ],
      result,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

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
  const index = join(store, "temporary-index");
  const env = { ...process.env, GIT_INDEX_FILE: index };
  return {
    snapshot,
    recovery,
    file: await timed(ask("d7/f7.txt")),
    tree: await timed(ask("d8")),
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

function makeTree(root: string): void {
  mkdirSync(root);
  git(root, "init", "-q");
  for (let file = 0; file < FILES; file++) {
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
