import { parseJson } from "../../lib/parse-json.ts";

const MAX_MESSAGE = 16 * 1024 * 1024;
/** Longer than anything a server sends by mistake; more is not worth skipping. */
const MAX_SKIPPED = 512 * 1024 * 1024;
const MAX_HEADER = 4096;
const HEADER_END = Buffer.from("\r\n\r\n");

/** A message as it came, or the size of one that was too long and was skipped. */
export type WireMessage = { readonly value: unknown } | { readonly tooLong: number };

/**
 * The messages in a byte stream, each behind a header with its length. Throws where it is something else, since
 * nothing tells where the next message would begin.
 */
export async function* readMessages(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<WireMessage> {
  let header = Buffer.alloc(0);
  let body: Body | undefined;
  for await (const chunk of bytes) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (rest.length > 0) {
      if (body === undefined) {
        const all = Buffer.concat([header, rest]);
        const end = all.indexOf(HEADER_END);
        if (end > MAX_HEADER || (end === -1 && all.length > MAX_HEADER)) throw new Error("its messages have no header");
        header = end === -1 ? all : Buffer.alloc(0);
        rest = end === -1 ? Buffer.alloc(0) : all.subarray(end + HEADER_END.length);
        body = end === -1 ? undefined : openBody(all.toString("latin1", 0, end));
      }
      if (body === undefined) continue;
      const part = rest.subarray(0, body.missing);
      rest = rest.subarray(part.length);
      body.missing -= part.length;
      if (body.size <= MAX_MESSAGE) body.parts.push(part);
      if (body.missing > 0) continue;
      yield finished(body);
      body = undefined;
    }
  }
}

interface Body {
  readonly size: number;
  missing: number;
  readonly parts: Buffer[];
}

function openBody(header: string): Body {
  const length = /^content-length:[ \t]*(\d{1,10})[ \t]*$/im.exec(header)?.[1];
  if (length === undefined) throw new Error("its messages have no header");
  const size = Number(length);
  if (size > MAX_SKIPPED || size === 0) throw new Error(`it sent a message of ${size} bytes`);
  return { size, missing: size, parts: [] };
}

function finished({ size, parts }: Body): WireMessage {
  if (size > MAX_MESSAGE) return { tooLong: size };
  try {
    return { value: parseJson(Buffer.concat(parts).toString("utf8")) };
  } catch (error) {
    throw new Error("it sent a message that is not JSON", { cause: error });
  }
}

/** A message with its header. */
export function encodeMessage(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, "latin1"), body]);
}
