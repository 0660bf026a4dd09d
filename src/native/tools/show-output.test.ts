import { expect, test } from "vitest";
import { lastLine, showOutput } from "./bash.ts";

const shown = (text: string) => {
  const head = Buffer.from(text);
  return showOutput({ head, tail: Buffer.alloc(0), lost: 0, total: head.length, savedBytes: 0 }, "file");
};

test("of a line that was written over, the last is shown", () => {
  expect(shown("10%\r50%\r100%\ndone\r\nagain\r")).toBe("100%\ndone\nagain");
  expect(shown("a\r\nb\r\n")).toBe("a\nb\n");
});

test("a line of 128 KiB is shown in part, without a search that grows with its square", () => {
  const text = shown("x".repeat(128 * 1024));
  expect(text.length).toBeLessThan(31_000);
  expect(text).toContain("omitted; 131072 bytes in total");
});

test("a line that is longer than what is kept is cut inside, not dropped", () => {
  const long = "y".repeat(50_000);
  const [begin = "", end = ""] = shown(`first\n${long}\nlast\n`).split(/\n\[… omitted; .* …\]\n/);
  expect(begin).toBe(`first\n${"y".repeat(10_000 - 6)}[… line cut]`);
  expect(end).toBe(`[line cut …]${"y".repeat(20_000 - 6)}\nlast\n`);
});

test("a short line at a cut is left out whole", () => {
  const text = shown("0123456789\n".repeat(10_000));
  expect(text).toMatch(/^(?:0123456789\n)+\[… omitted; 110000 bytes in total, .*\]\n(?:0123456789\n)+$/);
});

test("a cut never goes through the middle of a character", () => {
  expect(shown(`a${"😀".repeat(40_000)}b`).isWellFormed()).toBe(true);
});

test("what is left of a long output is what was promised, wherever its long line is", () => {
  for (const before of [0, 5_000, 9_999, 20_000])
    for (const after of [0, 5_000, 20_000]) {
      const text = shown(`${"b\n".repeat(before / 2)}${"y".repeat(100_000)}${"\na".repeat(after / 2)}`);
      expect({ before, after, enough: text.length > 29_000, bounded: text.length < 31_000 }).toEqual({
        before,
        after,
        enough: true,
        bounded: true,
      });
    }
});

test.each([
  ["the last line with text", "one\ntwo\n\n  \n", "two"],
  ["a line that is not finished", "one\ntw", "tw"],
  ["what was written over it last", "10%\r55%\r", "55%"],
  ["no colours and control characters", "\u001b[31mred\u001b[0m \u0007\u0008x\tend\n", "red x end"],
  ["no invisible characters", "a\u202eb\u200bc", "a\\u{202e}b\\u{200b}c"],
  ["at most 200 characters", "y".repeat(5000), `${"y".repeat(199)}…`],
  ["nothing of nothing", "", undefined],
  ["nothing of empty lines", "\n\r\n \n", undefined],
  ["nothing of binary data", "abc\u0000def", undefined],
])("of a running command people see %s", (_, output, expected) => {
  expect(lastLine(Buffer.from(output))).toBe(expected);
});

test("half a character at the beginning of what is kept is left out", () => {
  expect(lastLine(Buffer.from("世界").subarray(1))).toBe("界");
});
