import { expect, test } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { decodeText, encodeText } from "../../lib/text/text-form.ts";
import { applyEdits } from "./write.ts";

/** The same numbers in every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state;
  }
}

function picker(seed: number) {
  const source = numbers(seed);
  return <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(source.next().value / 7) % items.length];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
}

const SIGNS = ["a", "b", " ", "\t", "\n", "\r\n", "ü", "日", "😀", "$&", "$1"];

test("whatever bytes are text come back as they were", () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const pick = picker(seed);
    const bytes = Buffer.from(
      Array.from({ length: pick([0, 1, 2, 3, 7, 40]) }, () =>
        pick([0, 9, 10, 13, 65, 97, 0xc3, 0xa4, 0xef, 0xbb, 0xbf, 0xfe, 0xff, 0x80]),
      ),
    );
    const form = decodeText(bytes);
    if (form !== undefined) expect({ seed, bytes: encodeText(form) }).toEqual({ seed, bytes });
  }
});

test("an edit changes its place alone, whatever the line ends around it", () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const pick = picker(seed);
    const text = (length: number) => Array.from({ length }, () => pick(SIGNS)).join("");
    const [before, old, after] = [text(6), `<${text(3)}>`, text(6)];
    const whole = before + old + after;
    const asSeen = old.replaceAll("\r\n", "\n");
    const result = applyEdits(whole, [{ old_string: asSeen, new_string: "$& new", replace_all: false }]);
    expect({ seed, result }).toEqual({ seed, result: `${before}$& new${after}` });
  }
});

test("a text of many megabytes with many places is edited in time in proportion", () => {
  const start = processorTime();
  const result = applyEdits("x\r\n".repeat(500_000), [{ old_string: "x\n", new_string: "y\n", replace_all: true }]);
  expect([result === "y\r\n".repeat(500_000), processorTime() - start < 20_000]).toEqual([true, true]);
});
