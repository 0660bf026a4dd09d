import { globSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../test/support/seeded-random.ts";
import { MutantTree, type TestRun } from "./mutants/mutant-tree.ts";
import { mutationsOf } from "./mutants/mutations-of.ts";
import { type Mutant, pickMutants } from "./mutants/pick-mutants.ts";
import { importersOf, type NearTests, testsNear } from "./mutants/tests-near.ts";

const USAGE = `usage: npm run mutants -- --room ROOM [--file PART] [--count N] [--seed N] [--near] [--slow] [--json]

Makes small faults in the files of src/ROOM, one at a time in a copy of the tree, and runs the tests near them.
--file PART  only files whose path contains PART
--near       skip the whole-system tests
--slow       also run the related tests of vitest's project "slow"`;

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    room: { type: "string", default: "" },
    file: { type: "string", default: "" },
    count: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    near: { type: "boolean", default: false },
    slow: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
const files = globSync("src/**/*.ts", { cwd: root }).toSorted();
const isSource = (file: string) => !/(?:\.test|\.d)\.ts$/.test(file);
const inRoom = files.filter((file) => file.startsWith(`src/${values.room}/`) && file.includes(values.file));

if (values.room === "" || inRoom.length === 0 || !(count > 0) || !Number.isInteger(seed)) {
  console.error(USAGE);
  process.exitCode = 2;
} else await main();

interface Result {
  readonly place: string;
  readonly kind: string;
  readonly before: string;
  readonly after: string;
  readonly fate: "killed" | "timeout" | "types" | "survived";
  /** The first test that failed. */
  readonly by: string;
}

async function main(): Promise<void> {
  await using tree = new MutantTree(root, values.slow ? ["unit", "slow"] : ["unit"]);
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => void tree[Symbol.asyncDispose]().finally(() => process.exit(1)));
  const importers = importersOf(new Map(files.map((file) => [file, tree.read(file)])));
  const sites = new Map(inRoom.filter(isSource).map((file) => [file, mutationsOf(file, tree.read(file))]));
  const mutants = pickMutants(sites, count, seededRandom(seed));
  const near = new Map(mutants.map(({ file }) => [file, testsNear(file, importers)]));

  const all = [
    ...new Set([...near.values()].flatMap(({ nearest, wider, system }) => [...nearest, ...wider, ...system])),
  ];
  const tests = all.filter((test) => !values.near || test.startsWith("src/"));
  say(`${mutants.length} mutants, seed ${seed}; first ${tests.length} test files without a mutant`);
  if (!values.near && !(await tree.build())) throw new Error("the release cannot be built");
  const baseline = await tree.test(tests, { seconds: 1800, bail: false });
  if (baseline.timedOut) throw new Error("the tests do not finish even without a mutant");
  if (baseline.failed.length > 0 && baseline.failedFiles.length === 0)
    throw new Error(`${baseline.failed[0]} without a mutant`);
  for (const file of baseline.failedFiles) say(`skipped, because it fails without a mutant: ${file}`);

  const results: Result[] = [];
  for (const mutant of mutants) {
    const { nearest, wider, system } = near.get(mutant.file) ?? testsNear(mutant.file, importers);
    const stages = {
      nearest: stageOf(nearest, baseline),
      wider: stageOf(wider, baseline),
      system: stageOf(system, baseline),
    };
    const result = await tryMutant(tree, mutant, stages);
    results.push(result);
    say(`${result.fate.padEnd(8)} ${result.place}  ${result.kind}: ${result.before} -> ${result.after}`);
  }
  report(results);
}

/** Test files, and the time they may take. */
interface Stage {
  readonly files: readonly string[];
  readonly seconds: number;
}

function stageOf(tests: readonly string[], { failedFiles, seconds }: TestRun): Stage {
  const files = tests.filter((file) => seconds.has(file) && !failedFiles.includes(file));
  return { files, seconds: 30 + 3 * files.reduce((sum, file) => sum + (seconds.get(file) ?? 0), 0) };
}

async function tryMutant(tree: MutantTree, mutant: Mutant, stages: Readonly<Record<keyof NearTests, Stage>>) {
  const { file, start, end, replacement, line, kind } = mutant;
  const text = tree.read(file);
  const shown = { place: `${file}:${line}`, kind, before: brief(text.slice(start, end)), after: brief(replacement) };
  const as = (fate: Result["fate"], by = ""): Result => ({ ...shown, fate, by });
  const tested = async ({ files: tests, seconds }: Stage) => {
    const { failed, timedOut } = await tree.test(tests, { seconds, bail: true });
    if (timedOut) return as("timeout");
    return failed[0] === undefined ? undefined : as("killed", failed[0]);
  };
  tree.write(file, text.slice(0, start) + replacement + text.slice(end));
  try {
    const nearest = await tested(stages.nearest);
    if (nearest !== undefined) return nearest;
    if (!(await tree.compiles())) return as("types");
    const wider = await tested(stages.wider);
    if (wider !== undefined) return wider;
    if (stages.system.files.length > 0 && !(await tree.build())) return as("killed", "the release is not built");
    return (await tested(stages.system)) ?? as("survived");
  } finally {
    tree.write(file, text);
  }
}

function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function say(line: string): void {
  if (!values.json) console.log(line);
}

function report(results: readonly Result[]): void {
  const totals = { killed: 0, timeout: 0, types: 0, survived: 0 };
  for (const { fate } of results) totals[fate]++;
  // A mutant that does not compile does not count, because nobody could commit it.
  const [found, all] = [totals.killed + totals.timeout, results.length - totals.types];
  const rate = Math.round((found / Math.max(all, 1)) * 1000) / 10;
  if (values.json) console.log(JSON.stringify({ room: values.room, seed, rate, totals, mutants: results }));
  else {
    console.table(results.map(({ place, kind, fate, by }) => ({ place, kind, fate, by: brief(by) })));
    console.log(
      `${found} of ${all} caught, ${rate} % (${totals.timeout} by timeout; ${totals.types} more do not compile)`,
    );
  }
}
