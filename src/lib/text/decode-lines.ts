import type { Readable } from "node:stream";

const LF = 0x0a;

/** The longest line the protocol allows. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** One line of a byte stream, or what is wrong with it. A bad line does not affect the next one. */
export type Line = { readonly text: string } | { readonly fault: string };

/**
 * Lines from a byte stream, in order, without blank ones. An overlong line is never buffered in full.
 * Splits on LF bytes only: `readline` also splits on U+2028, which JSON strings may contain.
 */
export async function* decodeLines(
  bytes: AsyncIterable<Uint8Array>,
  most: number = MAX_LINE_BYTES,
): AsyncGenerator<Line> {
  let pending: Uint8Array[] = [];
  let size = 0;
  const add = (part: Uint8Array): void => {
    size += part.length;
    if (size > most) pending = [];
    else if (part.length > 0) pending.push(part);
  };
  const take = (): Line | undefined => {
    const line = size > most ? { fault: `a line of more than ${most} bytes` } : decodeLine(pending);
    pending = [];
    size = 0;
    return "text" in line && line.text.trim() === "" ? undefined : line;
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    add(chunk.subarray(start));
  }
  if (size > 0) yield { fault: "an incomplete last line" };
}

const DECODER = new TextDecoder("utf-8", { fatal: true });

function decodeLine(parts: readonly Uint8Array[]): Line {
  const [only] = parts;
  try {
    return { text: DECODER.decode(parts.length === 1 ? only : Buffer.concat(parts)) };
  } catch {
    return { fault: "a line that is not UTF-8" };
  }
}

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
