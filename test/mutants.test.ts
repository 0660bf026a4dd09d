import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutationsOf } from "../scripts/mutants/mutations-of.ts";
import { pickMutants } from "../scripts/mutants/pick-mutants.ts";
import { importersOf, testsNear } from "../scripts/mutants/tests-near.ts";
import { seededRandom } from "./support/seeded-random.ts";

const SOURCE = `import { a } from "./a.ts";
type Kind = "x" | "y";
export function check(kind: Kind, n = 20): boolean {
  if (kind === "x" && n > 3) throw new Error("not so many");
  a.log({ key: true });
  if (n) return undefined;
  return !(n + 1);
}
`;

test("conditions, operators, statements, results and literals are changed; types, imports, keys and sentences are not", () => {
  const shown = mutationsOf("x.ts", SOURCE).map(({ line, kind, start, end, replacement }) => [
    line,
    kind,
    SOURCE.slice(start, end),
    replacement,
  ]);
  expect(shown).toEqual([
    [3, "literal", "20", "0"],
    [4, "&& and ||", 'kind === "x" && n > 3', '((kind === "x") || (n > 3))'],
    [4, "comparison", 'kind === "x"', '((kind) !== ("x"))'],
    [4, "negate condition", 'kind === "x" && n > 3', '!(kind === "x" && n > 3)'],
    [4, "literal", '"x"', '""'],
    [4, "comparison", "n > 3", "((n) >= (3))"],
    [4, "literal", "3", "4"],
    [4, "drop statement", 'throw new Error("not so many");', ";"],
    [5, "drop statement", "a.log({ key: true });", ";"],
    [5, "literal", "true", "false"],
    [6, "negate condition", "n", "!(n)"],
    [7, "drop !", "!(n + 1)", "(n + 1)"],
    [7, "return value", "!(n + 1)", "undefined"],
    [7, "arithmetic", "n + 1", "((n) - (1))"],
    [7, "literal", "1", "2"],
  ]);
});

test("the same seed picks the same mutants, each once, and files take turns", () => {
  const files = new Map(["a.ts", "b.ts"].map((file) => [file, mutationsOf(file, SOURCE)]));
  const places = (seed: number, count: number) =>
    pickMutants(files, count, seededRandom(seed)).map(({ file, kind, start }) => `${file} ${kind} ${start}`);
  expect(places(1, 8)).toEqual(places(1, 8));
  expect(places(1, 8)).not.toEqual(places(2, 8));
  expect(places(1, 8).filter((place) => place.startsWith("a.ts"))).toHaveLength(4);
  expect(new Set(places(1, 100)).size).toBe(30);
});

test("tests are ordered by how near they import the file, and those of the whole system come last", () => {
  const sources = new Map([
    ["src/guard/x/a.ts", ""],
    ["src/guard/x/a.test.ts", 'import { a } from "./a.ts";'],
    ["src/guard/b.ts", 'import { a } from "./x/a.ts";'],
    ["src/guard/b.test.ts", 'import { b } from "./b.ts";'],
    ["src/guard/c.test.ts", 'const { b } = await import("./b.ts");'],
    ["src/guard/other.test.ts", ""],
  ]);
  expect(testsNear("src/guard/x/a.ts", importersOf(sources))).toEqual({
    nearest: ["src/guard/x/a.test.ts", "src/guard/b.test.ts", "src/guard/c.test.ts"],
    wider: [],
    system: ["test/guard.test.ts", "test/guarded-launch.test.ts"],
  });
});

test("every whole-system test of a room exists", () => {
  const root = join(import.meta.dirname, "..");
  const rooms = readdirSync(join(root, "src"));
  const tests = rooms.flatMap((room) => testsNear(`src/${room}/any.ts`, new Map()).system);
  expect(tests.length).toBeGreaterThan(20);
  expect(tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
