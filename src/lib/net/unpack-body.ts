import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";

/** The body of a response, decompressed. Unusual encodings are left as they are. */
export async function unpackBody(response: IncomingMessage): Promise<Readable> {
  const coding = response.headers["content-encoding"];
  if (coding !== "gzip" && coding !== "br" && coding !== "deflate") return response;
  const zlib = await import("node:zlib");
  const unpack = { gzip: zlib.createGunzip, br: zlib.createBrotliDecompress, deflate: zlib.createInflate }[coding]();
  // Errors on either side end the reading loop; a reader that stops early ends both.
  return pipeline(response, unpack, () => undefined);
}
