import type { Readable } from "node:stream";

/**
 * The lines of a byte stream, split at line feeds only: U+2028 may occur inside JSON text. Invalid UTF-8 becomes
 * U+FFFD.
 */
export async function* readLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
