import { expect, test } from "vitest";
import { showOutput } from "./show-output.ts";

const shown = (text: string) => {
  const head = Buffer.from(text);
  return showOutput({ head, tail: Buffer.alloc(0), lost: 0, total: head.length, kept: 0 }, "file");
};

test("of a line that was written over, the last is shown", () => {
  expect(shown("10%\r50%\r100%\ndone\r\nagain\r")).toBe("100%\ndone\nagain");
  expect(shown("a\r\nb\r\n")).toBe("a\nb\n");
});

test("a line of 128 KiB is shown in part, without a search that grows with its square", () => {
  const text = shown("x".repeat(128 * 1024));
  expect(text.length).toBeLessThan(31_000);
  expect(text).toContain("left out; 131072 bytes in all");
});
