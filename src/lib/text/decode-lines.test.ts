import { expect, test } from "vitest";
import { decodeLines } from "./decode-lines.ts";

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

test("lines are split at line feeds only, across chunks, and blank ones are left out", async () => {
  const lines = await Array.fromAsync(decodeLines(chunks('{"a":"x\u2028y"}\n\n  \n{"b"', ":1}\r\n", "é\n")));
  expect(lines).toEqual([{ text: '{"a":"x\u2028y"}' }, { text: '{"b":1}\r' }, { text: "é" }]);
});

test("a character that two chunks share is whole", async () => {
  const bytes = Buffer.from("é\n");
  expect(await Array.fromAsync(decodeLines(chunks(bytes.subarray(0, 1), bytes.subarray(1))))).toEqual([{ text: "é" }]);
});

test("a faulty line is named and the next one is read", async () => {
  const lines = await Array.fromAsync(
    decodeLines(chunks("toolong", "toolong\nshort\n", new Uint8Array([0xff, 0x0a]), "ok\n", "half"), 10),
  );
  expect(lines).toEqual([
    { fault: "a line of more than 10 bytes" },
    { text: "short" },
    { fault: "a line that is not UTF-8" },
    { text: "ok" },
    { fault: "an incomplete last line" },
  ]);
});

test("a line of 20 MiB is refused without being held, and one of 16 MiB is read", async () => {
  const most = Buffer.alloc(16 * 1024 * 1024, "a");
  const lines = await Array.fromAsync(decodeLines(chunks(most, Buffer.alloc(4 * 1024 * 1024, "a"), "\n", most, "\n")));
  expect(lines.map((line) => ("fault" in line ? line.fault : line.text.length))).toEqual([
    "a line of more than 16777216 bytes",
    16_777_216,
  ]);
});
