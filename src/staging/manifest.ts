import { posix } from "node:path";
import * as z from "zod";
import { AgentName } from "../contract/agent.ts";
import { refuseNewer } from "../lib/json/file-format.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { isUserError, UserError } from "../lib/text/user-error.ts";
import { MANIFEST_PATH } from "./sources/change.ts";
import { STAGED } from "./sources/staged-agents.ts";
import { XPIA_FOLDER } from "./hook-surface.ts";

/** The only places that staging writes to. A manifest with any other path is not ours. */
const PLACES = [...STAGED.flatMap(({ surfaces }) => surfaces.places), XPIA_FOLDER];
const FOLDERS = new Set([
  ".signalbox",
  ...PLACES.flatMap((place) => [...place.matchAll(/\//g)].map(({ index }) => place.slice(0, index))),
]);

const isPlace = (path: string) =>
  PLACES.some((place) => (place.endsWith("/") ? path.startsWith(place) : path === place));

const Place = z
  .string()
  .max(4096)
  .refine(
    (path) => posix.normalize(path) === path && isPlace(path) && !path.includes("\0"),
    "is not a path that signalbox stages",
  );
const Folder = z
  .string()
  .max(4096)
  .refine(
    (path) => posix.normalize(path) === path && (FOLDERS.has(path) || isPlace(`${path}/`)),
    "is not a folder that signalbox creates",
  );

/** False for a folder behind a link. Such a folder belongs to someone else and stays when ours are removed. */
export const isOurFolder = (path: string) => Folder.safeParse(path).success;

const Piece = z.object({ offset: z.int().min(0), text: z.string() });

export const JsonValue = z.json();

export const RecordedAddition = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("block"),
    comment: z.enum(["html", "hash"]),
    text: z.string(),
    pieces: z.array(Piece),
  }),
  z.object({
    kind: z.literal("entry"),
    at: z.array(z.string()),
    key: z.string().optional(),
    value: JsonValue,
    made: z.int().min(0),
    pieces: z.array(Piece),
  }),
]);
export type RecordedAddition = z.infer<typeof RecordedAddition>;

/** One file that staging created or added to. */
export const StagedFile = z.object({
  path: Place,
  /** The SHA-256 of the file before; null if it did not exist. */
  before: z.string().nullable(),
  after: z.string(),
  /** What was inserted, in order; null for a file that is entirely ours. */
  additions: z.array(RecordedAddition).nullable(),
});
export type StagedFile = z.infer<typeof StagedFile>;

/**
 * Everything staged in a repository. Contains no timestamps and no machine-specific paths, so a second run writes
 * nothing.
 */
export const Manifest = z.object({
  version: z.literal(1),
  about: z.string(),
  agents: z.array(AgentName),
  required: z.boolean(),
  /** Whether the historical entry points are staged too. */
  xpia: z.literal(true).optional(),
  folders: z.array(Folder),
  files: z.array(StagedFile),
});
export type Manifest = z.infer<typeof Manifest>;

export const ABOUT =
  "Written by `signalbox stage`: what it put into this repository. `signalbox unstage` removes it. Commit it with the files.";

/** Parses a manifest that came with a repository. Throws unless it is complete and valid. */
export function parseManifest(bytes: Uint8Array): Manifest {
  try {
    const value: unknown = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    refuseNewer(value, MANIFEST_PATH);
    return Manifest.parse(value);
  } catch (cause) {
    if (isUserError(cause)) throw cause;
    const detail = cause instanceof z.ZodError ? z.prettifyError(cause).split("\n")[0] : "it is not JSON";
    throw new UserError(`the list of staged files is corrupt (${detail})`, {
      where: MANIFEST_PATH,
      fix: "restore it with git, or delete it and stage again",
      cause,
    });
  }
}

export function writeManifest(manifest: Manifest): Buffer {
  const files = manifest.files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const whole = { ...manifest, folders: manifest.folders.toSorted(), files };
  return Buffer.from(`${JSON.stringify(whole, null, 2)}\n`);
}
