import { expect, test } from "vitest";
import { cut, safeLine, widthOf } from "./screen.ts";

test("a line keeps its colours, and nothing else in it can steer the terminal", () => {
  expect(safeLine("\u001b[31mred\u001b[39m", 80)).toBe("\u001b[31mred\u001b[39m");
  expect(safeLine("a\u001b[2Jb\u001b]0;x\u0007\tc\u202ed\u200be", 80)).toBe(
    String.raw`a\u{1b}[2Jb\u{1b}]0;x\u{7} c\u{202e}d\u{200b}e`,
  );
});

test("a line is never wider than the screen, also where a character takes two columns", () => {
  expect(widthOf(safeLine("x".repeat(100), 10))).toBe(10);
  expect(widthOf(safeLine("\u001b[31m日本語日本語\u001b[39m", 5))).toBeLessThanOrEqual(5);
  expect(cut("abcdef", 4)).toContain("abc");
  expect(cut("abcd", 4)).toBe("abcd");
});
