import { existsSync } from "node:fs";
import { join } from "node:path";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { sha256 } from "../../lib/json/sha256.ts";

/** Where the images of a session are kept, beside its log, each once and named by its hash. */
export const imagesFolder = (log: string) => join(log.replace(/\.jsonl$/, ".files"), "images");

const MAX_BYTES = 128 * 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/;

/** A record as it is written: every image is stored in the folder, and only its hash is left. */
export function withStoredImages<Record extends object>(record: Record, folder: string): object {
  return mapImages(record, ({ mediaType, base64 }) => {
    if (typeof base64 !== "string") return { mediaType, base64 };
    const hash = sha256(base64);
    const path = join(folder, hash);
    if (!existsSync(path)) {
      makeFolder(folder);
      atomicWrite(path, base64);
    }
    return { mediaType, sha256: hash };
  });
}

/** A record as it was before it was written. An image that is gone or was changed is replaced by a note. */
export function withImages(record: object, folder: string): object {
  return mapImages(record, (image) => {
    if (image["sha256"] === undefined) return image;
    const base64 = readImage(folder, image["sha256"]);
    return base64 === undefined ? undefined : { mediaType: image["mediaType"], base64 };
  });
}

function readImage(folder: string, hash: unknown): string | undefined {
  if (typeof hash !== "string" || !HASH.test(hash)) return undefined;
  try {
    const text = readBounded(join(folder, hash), MAX_BYTES).bytes.toString("latin1");
    return sha256(text) === hash ? text : undefined;
  } catch {
    // It was removed, or never reached the disk.
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;
type MapImage = (image: Fields) => object | undefined;

/** Maps the images of every message and result in a record. They stand only where a record can have messages. */
function mapImages(record: object, map: MapImage): object {
  const fields: Fields = { ...record };
  return {
    ...fields,
    ...(isRecord(fields["message"]) ? { message: mapMessage(fields["message"], map) } : {}),
    ...(isRecord(fields["result"]) ? { result: mapMessage(fields["result"], map) } : {}),
    ...(Array.isArray(fields["pieces"]) ? { pieces: fields["pieces"].map((piece) => mapPiece(piece, map)) } : {}),
  };
}

const mapPiece = (piece: unknown, map: MapImage): unknown =>
  isRecord(piece) && isRecord(piece["add"]) ? { add: mapMessage(piece["add"], map) } : piece;

const LOST = "[image lost: its file is missing or was changed]";

function mapMessage(message: Fields, map: MapImage): Fields {
  const { images, results } = message;
  if (Array.isArray(results))
    return { ...message, results: results.map((result) => (isRecord(result) ? mapMessage(result, map) : result)) };
  if (!Array.isArray(images)) return message;
  const mapped = images.map((image) => (isRecord(image) ? map(image) : image));
  const present = mapped.filter((image) => image !== undefined);
  if (present.length === images.length) return { ...message, images: present };
  const { images: _, ...rest } = message;
  const text = `${String(message["text"])}\n${LOST}`;
  return present.length === 0 ? { ...rest, text } : { ...rest, text, images: present };
}
