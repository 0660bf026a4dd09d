import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";

/** The body of an answer as it was before it was packed for the way. Other codings than the usual are left as they are. */
export async function unpackBody(response: IncomingMessage): Promise<Readable> {
  const coding = response.headers["content-encoding"];
  if (coding !== "gzip" && coding !== "br" && coding !== "deflate") return response;
  const zlib = await import("node:zlib");
  const unpack = { gzip: zlib.createGunzip, br: zlib.createBrotliDecompress, deflate: zlib.createInflate }[coding]();
  // Errors of either side end the loop that reads; a reader that has enough ends both.
  return pipeline(response, unpack, () => undefined);
}
