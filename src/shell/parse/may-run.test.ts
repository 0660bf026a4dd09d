import { expect, test } from "vitest";
import { commandsThatMayRun } from "./may-run.ts";

/** Every way to nest a command in another script, one level each. */
const WRAPS: readonly ((inner: string) => string)[] = [
  (inner) => `echo $(${inner})`,
  (inner) => `echo "$(${inner})"`,
  (inner) => `cat <(${inner})`,
  (inner) => `x=$(${inner})`,
  (inner) => `echo \${x:-$(${inner})}`,
  (inner) => `[[ -n $(${inner}) ]]`,
  (inner) => `echo $((1 + $(${inner})))`,
  (inner) => `a=($(${inner}))`,
  (inner) => `echo > "$(${inner})"`,
];

const nested = (wrap: (inner: string) => string, levels: number) =>
  Array.from({ length: levels }).reduce<string>((inner) => wrap(inner), "id");

test.each(WRAPS.map((wrap) => [wrap("…"), wrap] as const))("%s is read forty levels deep, and no deeper", (_, wrap) => {
  expect(commandsThatMayRun(nested(wrap, 40)).errors).toEqual([]);
  expect(commandsThatMayRun(nested(wrap, 41)).errors).toContainEqual(expect.stringMatching(/deep/));
});
