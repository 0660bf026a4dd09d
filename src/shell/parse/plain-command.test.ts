import { expect, test } from "vitest";
import { parseFully, plainCommand } from "./may-run.ts";

const WORDS =
  "git log rm -rf / --format=%H a=b src/a.ts 3 @x %1 + , . .. : - -- if then time in do [ x: 2 1 true a:b@c%d,e+f-g_h".split(
    " ",
  );

/** Every combination of one to three words, and some longer ones at a fixed stride. */
function commands(): string[] {
  const pairs = WORDS.flatMap((first) => WORDS.map((second) => `${first} ${second}`));
  const triples = pairs.flatMap((pair, index) => [`${pair} ${WORDS[(index * 7) % WORDS.length]}`]);
  return [...WORDS, ...pairs, ...triples];
}

test("a plain command is read as the full parser reads it", () => {
  const plain = commands().filter((source) => plainCommand(source) !== undefined);
  expect(plain.length).toBeGreaterThan(500);
  for (const source of plain) expect({ nodes: [plainCommand(source)], errors: [] }).toEqual(parseFully(source));
});

test.each([
  "",
  " ls",
  "ls ",
  "ls  -a",
  "ls\n",
  "a=b",
  "a=b ls",
  "if true",
  "ls *",
  "ls ~",
  "ls $x",
  "ls 'x'",
  "a;b",
  "a|b",
  "a>b",
  "a&",
  "!a",
  "{ a",
  "a #b",
  "a\tb",
  "é",
])("%j is left to the full parser", (source) => {
  expect(plainCommand(source)).toBeUndefined();
});
