import { hash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { textIfThere } from "../../lib/files/read-file.ts";
import { parseJson } from "../../lib/json/parse-json.ts";

const BASE_FORMAT = 1;

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

/** What decides a check, as it was when the work began. Kept with a session, so that a resumed one compares with it. */
export const CheckBase = z.object({
  version: z.literal(BASE_FORMAT),
  root: z.string(),
  commands: z.array(z.string()),
  /** Patterns of files that the user wants kept. */
  keep: z.array(z.string()),
  scripts: z.array(z.string()),
  programs: z.array(z.string()),
  manifestScripts: z.array(z.string()),
  modules: z.array(z.string()),
  files: z.record(z.string(), DecidingState),
  /** Folders with dependencies, and those of their files that count. */
  dependencies: z.array(z.string()),
  dependencyFiles: z.record(z.string(), DecidingState),
  /** PATH of the check. */
  path: z.string(),
  /** Programs outside the workspace that the check starts, as they were. */
  outside: z.record(z.string(), z.string()),
  /** Why nothing can be compared. */
  unknown: z.string().nullable(),
});

export type CheckBase = z.infer<typeof CheckBase>;

/** A base with the folder that has the contents. */
export interface KeptBase {
  readonly base: CheckBase;
  readonly folder: string;
  /** What the user should know, such as a pattern that matches nothing. */
  readonly warnings: readonly string[];
}

const recordFile = (folder: string) => join(folder, "base.json");

const contentFile = (folder: string, sha256: string) => join(folder, "contents", sha256);

export function saveBase(folder: string, base: CheckBase): void {
  atomicWrite(recordFile(folder), `${JSON.stringify(base)}\n`);
}

/** The base that was saved in a folder; undefined if there is none. One that cannot be read accepts no check. */
export function savedBase(folder: string): CheckBase | undefined {
  const text = textIfThere(recordFile(folder));
  if (text === undefined) return undefined;
  try {
    return CheckBase.parse(parseJson(text));
  } catch {
    return unknownBase({ root: "/", commands: [], keep: [] }, "its record cannot be read");
  }
}

interface NamedCheck {
  readonly root: string;
  readonly commands: readonly string[];
  readonly keep: readonly string[];
}

/** A base with which nothing can be compared. */
export const unknownBase = ({ root, commands, keep }: NamedCheck, because: string): CheckBase => ({
  version: BASE_FORMAT,
  root,
  commands: [...commands],
  keep: [...keep],
  scripts: [],
  programs: [],
  manifestScripts: [],
  modules: [],
  files: {},
  dependencies: [],
  dependencyFiles: {},
  path: "",
  outside: {},
  unknown: because,
});

export function openContents(folder: string): void {
  makeFolder(join(folder, "contents"));
}

export function keepContent(folder: string, sha256: string, content: Buffer): void {
  writeFileSync(contentFile(folder, sha256), content, { mode: 0o600 });
}

export const keptContent = (folder: string, sha256: string): Buffer => readFileSync(contentFile(folder, sha256));

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
