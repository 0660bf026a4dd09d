import { dirname, join } from "node:path";

/**
 * Whole-system tests of a room. They start the program, so no import leads to them. Those of vitest's project `slow`
 * take part only with `--slow`.
 */
const SYSTEM_TESTS: Readonly<Record<string, readonly string[]>> = {
  shell: ["guard"],
  guard: ["guard", "guarded-launch"],
  hooks: ["guarded-launch", "staged-wrappers"],
  receipts: ["run", "receipt", "receipt-show", "run-disk", "run-naming", "run-task"],
  agents: ["launch", "guarded-launch", "prompt", "prompt-file", "stage"],
  launch: [
    "launch",
    "prompt",
    "ending",
    "guarded-launch",
    "planted-program",
    "nested-copilot",
    "run-task",
    "who-is-alive",
  ],
  native: ["native", "native-sessions", "native-disk", "native-killed", "prune"],
  staging: ["stage", "staged-clone", "init", "stage-conflicts", "staged-wrappers", "unreadable-files"],
};

const FIRST = 6;
const MOST = 30;

/** Test files for a mutant: the few nearest to its file, others that import it, and whole-system tests. */
export interface NearTests {
  readonly nearest: readonly string[];
  readonly wider: readonly string[];
  readonly system: readonly string[];
}

/** The importers of each source; paths are relative to the root. */
export type Importers = ReadonlyMap<string, readonly string[]>;

export function importersOf(sources: ReadonlyMap<string, string>): Importers {
  const arrows = [...sources].flatMap(([file, text]) =>
    [...text.matchAll(IMPORT)].map(([, path]) => ({ file, target: join(dirname(file), path ?? "") })),
  );
  const grouped = Map.groupBy(arrows, ({ target }) => target);
  return new Map([...grouped].map(([target, found]) => [target, [...new Set(found.map(({ file }) => file))]]));
}

const IMPORT = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** Sorted by the number of imports between; on a tie, tests in the same folder come first. */
export function testsNear(file: string, importers: Importers): NearTests {
  const steps = new Map([[file, 0]]);
  for (const [target, distance] of steps)
    for (const importer of importers.get(target) ?? []) if (!steps.has(importer)) steps.set(importer, distance + 1);
  const rank = (test: string) => (steps.get(test) ?? 0) - (dirname(test) === dirname(file) ? 1.5 : 0);
  const near = [...steps.keys()]
    .filter((path) => path.startsWith("src/") && path.endsWith(".test.ts"))
    .toSorted((one, other) => rank(one) - rank(other) || one.localeCompare(other));
  const [, room = ""] = file.split("/");
  const system = (SYSTEM_TESTS[room] ?? []).map((name) => `test/${name}.test.ts`);
  return { nearest: near.slice(0, FIRST), wider: near.slice(FIRST, MOST), system };
}
