import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import * as z from "zod";

/** What is known of one file. `stat` changes whenever the file does. */
export const DecidingState = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("file"),
    sha256: z.string(),
    size: z.int(),
    executable: z.boolean(),
    stat: z.string(),
    /** There is a copy of its content. */
    kept: z.boolean(),
  }),
  z.object({ kind: z.literal("link"), target: z.string() }),
  /** Too large, not readable, or not a file. */
  z.object({ kind: z.literal("unread"), stat: z.string() }),
]);
export type DecidingState = z.infer<typeof DecidingState>;

const MAX_FILE_BYTES = 64 * 1024 * 1024;

interface SeenFile {
  readonly state: DecidingState;
  /** The bytes of a regular file that is not too large. */
  readonly content?: Buffer;
}

/** The present state of a file, without following links. With the same `stat` as before, its content is not read again. */
export function seeFile(path: string, before?: DecidingState): SeenFile | undefined {
  const seen = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (seen === undefined) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs, mode } = seen;
  const stat = [dev, ino, size, mtimeNs, ctimeNs, mode].join(":");
  if (seen.isSymbolicLink()) return { state: { kind: "link", target: readlinkSync(path) } };
  if (!seen.isFile() || size > MAX_FILE_BYTES) return { state: { kind: "unread", stat } };
  if (before?.kind === "file" && before.stat === stat) return { state: before };
  const content = readPlain(path);
  if (content === undefined) return { state: { kind: "unread", stat } };
  const executable = (mode & 0o111n) !== 0n;
  return {
    state: { kind: "file", sha256: hash("sha256", content), size: content.length, executable, stat, kept: false },
    content,
  };
}

/** Undefined if it cannot be read. Never waits for a pipe. */
export function readPlain(path: string): Buffer | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return fstatSync(file).isFile() ? readFileSync(file) : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
