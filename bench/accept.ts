import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareWithBase } from "../src/receipts/acceptance/compare-base.ts";
import { recordBase } from "../src/receipts/acceptance/record-base.ts";
import type { Suite } from "./suite.ts";

/** What `--accept` costs before the work and after it, beside a bare listing of the workspace and `git status`. */
export const accept: Suite = async ({ quick }) => {
  const sizes = quick ? [1000, 10_000] : [10_000, 100_000];
  const rounds = quick ? 3 : 7;
  const trees = [];
  for (const size of sizes) trees.push(await measure(size, rounds));
  const rows = trees.flatMap(({ files, recordMs, compareMs, listMs, gitStatusMs }) => [
    { measure: `${files} files: record what decides the check, ms`, median: recordMs },
    { measure: `${files} files: compare with it, ms`, median: compareMs },
    { measure: `${files} files: list the folders (floor), ms`, median: listMs },
    { measure: `${files} files: git status, ms`, median: gitStatusMs },
  ]);
  const { recordMs = Number.NaN, gitStatusMs = Number.NaN } = trees.at(-1) ?? {};
  return { rows, result: { trees }, ratios: { "record over git status": recordMs / gitStatusMs } };
};

async function measure(files: number, rounds: number) {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    const root = join(folder, "tree");
    makeTree(root, files);
    const times: Record<"record" | "compare" | "list" | "status", number[]> = {
      record: [],
      compare: [],
      list: [],
      status: [],
    };
    for (let round = 0; round <= rounds; round++) {
      const store = join(folder, String(round));
      mkdirSync(store);
      const plan = { root, commands: ["npm test"], keep: [], path: process.env["PATH"] ?? "" };
      const add = (list: number[], ms: number) => void (round > 0 && list.push(ms));
      const started = performance.now();
      const kept = await recordBase(plan, store);
      add(times.record, performance.now() - started);
      add(times.compare, await timed(async () => void (await compareWithBase(kept, []))));
      add(times.list, await timed(() => void readdirSync(root, { recursive: true, withFileTypes: true })));
      add(
        times.status,
        await timed(() => void execFileSync("git", ["-c", "gc.auto=0", "status", "--porcelain"], { cwd: root })),
      );
    }
    return {
      files,
      recordMs: median(times.record),
      compareMs: median(times.compare),
      listMs: median(times.list),
      gitStatusMs: median(times.status),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<void> | void): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 10) / 10;
}

/** Sources with a test for one in twenty, below a manifest. */
function makeTree(root: string, files: number): void {
  mkdirSync(root);
  writeFileSync(join(root, "package.json"), '{ "scripts": { "test": "node --test" } }\n');
  for (let file = 1; file < files; file++) {
    const folder = join(root, `src/d${Math.floor(file / 100)}`);
    if (file % 100 === 0 || file === 1) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file % 20 === 0 ? `f${file}.test.ts` : `f${file}.ts`), `line ${file}\n`);
  }
  execFileSync("git", ["init", "-q"], { cwd: root });
  const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "-c", "gc.auto=0"];
  execFileSync("git", ["add", "-A"], { cwd: root });
  execFileSync("git", [...identity, "commit", "-qm", "first"], { cwd: root });
}
