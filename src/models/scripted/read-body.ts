import type { IncomingMessage } from "node:http";
import { jsonDepth } from "../../lib/json-depth.ts";
import { messageOf } from "../../lib/message-of.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { BadRequest } from "./wires/wire.ts";

/** The JSON in a request's body, whatever content type it claims. Throws a BadRequest for one that cannot be played. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw new BadRequest(`${encoding} bodies are not supported`, 415);

  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytesOf(request)) {
    size += chunk.length;
    // Excess data is read and dropped, because a client that is still sending would not see an answer.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new BadRequest(`the body is larger than ${MAX_BODY_BYTES} bytes`, 413);
  return parseBody(Buffer.concat(chunks).toString("utf8"));
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** JSON.stringify is recursive, and captured bodies are written with it. */
const MAX_DEPTH = 500;

const bytesOf = (request: IncomingMessage): AsyncIterable<Uint8Array> => request;

function parseBody(text: string): unknown {
  if (jsonDepth(text) > MAX_DEPTH) throw new BadRequest(`the body is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return parseJson(text);
  } catch (cause) {
    throw new BadRequest(`the body is not JSON: ${messageOf(cause)}`);
  }
}
