import { expect, test } from "vitest";
import { encodeMessage, readMessages, type WireMessage } from "./server-link.ts";

async function read(...chunks: readonly (string | Buffer)[]): Promise<readonly WireMessage[]> {
  async function* bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const found: WireMessage[] = [];
  for await (const message of readMessages(bytes())) found.push(message);
  return found;
}

test("messages are read however the bytes are cut", async () => {
  const messages = [{ id: 1, text: "é\u2028\r\n\r\n" }, {}, { big: "x".repeat(100_000) }];
  const all = Buffer.concat(messages.map(encodeMessage));
  const expected = messages.map((value) => ({ value }));
  expect(await read(all)).toEqual(expected);
  for (const size of [1, 7, 4096]) {
    const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
      all.subarray(index * size, (index + 1) * size),
    );
    expect(await read(...chunks)).toEqual(expected);
  }
});

test("other header fields and spellings are accepted", async () => {
  const body = '{"a":1}';
  const type = "Content-Type: application/vscode-jsonrpc; charset=utf-8";
  expect(await read(`${type}\r\ncontent-length:  7\r\n\r\n${body}`)).toEqual([{ value: { a: 1 } }]);
});

test("a message that is too long is skipped without being kept, and the next is read", async () => {
  const size = 20 * 1024 * 1024;
  const part = Buffer.alloc(1024 * 1024, "x");
  const long = [`Content-Length: ${size}\r\n\r\n`, ...Array.from({ length: 20 }, () => part)];
  expect(await read(...long, encodeMessage({ a: 1 }))).toEqual([{ tooLong: size }, { value: { a: 1 } }]);
});

test.each([
  ["text", "Hello\n".repeat(2000), "its messages have no header"],
  ["text that ends like a header", "Hello\r\n\r\n", "its messages have no header"],
  ["a length that is no number", "Content-Length: -5\r\n\r\n", "its messages have no header"],
  ["a length beyond reason", "Content-Length: 9999999999\r\n\r\n", "it sent a message of 9999999999 bytes"],
  ["an empty message", "Content-Length: 0\r\n\r\n", "it sent a message of 0 bytes"],
  ["what is not JSON", "Content-Length: 3\r\n\r\n{{{", "it sent a message that is not JSON"],
])("%s is an error", async (_, text, because) => {
  await expect(read(text)).rejects.toThrow(because);
});

test("a message that breaks off is none", async () => {
  expect(await read(encodeMessage({ a: 1 }), "Content-Length: 100\r\n\r\n{")).toEqual([{ value: { a: 1 } }]);
});
