import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import type { Tool } from "../../contract/tool.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { decodeText, encodeText, type TextForm } from "../../lib/text/text-form.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { answer, failure } from "./answer.ts";
import { saveSeen, seenFile } from "./editor-buffers.ts";
import { MAX_FILE_BYTES, openedPath, type PathGate } from "./path-gate.ts";
import type { FileAccess } from "./read.ts";

const Input = z.strictObject({ path: z.string().min(1), content: z.string().max(16_000_000) });

export const write = ({ gate, states, buffers }: FileAccess): Tool<typeof Input> => ({
  name: "write",
  description:
    "Write a whole file; missing folders are created. An existing file must have been read first. Prefer edit for changes.",
  input: Input,
  sideBySide: false,
  async run({ path, content }, { callId, signal }) {
    const place = { buffers, signal };
    return await writeJudged(path, { callId, gate }, async ({ real, present, onDisk, replace }) => {
      const seen = present === undefined ? undefined : await seenFile(real, present.bytes, place);
      const objection = seen === undefined ? undefined : states.objectTo(real, seen.bytes);
      if (objection !== undefined) return failure(objection);
      const old = seen === undefined ? undefined : decodeText(seen.bytes);
      const bytes = encodeText({ text: asBefore(content, old), encoding: old?.encoding ?? "utf-8" });
      const note =
        seen === undefined
          ? replace(bytes)
          : await saveSeen({ real, seen, text: content, bytes, onDisk, replace }, place);
      states.wrote(real, bytes);
      const before = seen === undefined ? null : (old?.text ?? "");
      const lines = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
      const done = `${seen === undefined ? "created" : "replaced"} ${real} (${lines} lines, ${bytes.length} bytes)`;
      return answer([done, note].join("\n").trimEnd(), [{ kind: "write", path: real, before, after: content }]);
    });
  },
});

/** A file whose lines all end in CRLF keeps them. */
function asBefore(content: string, old: TextForm | undefined): string {
  const windows = old !== undefined && old.text.includes("\r\n") && !/(?<!\r)\n/.test(old.text);
  return windows ? content.replace(/\r?\n/g, "\r\n") : content;
}

/** What is currently at the path to be written. */
interface Present {
  readonly stat: Stats;
  readonly bytes: Buffer;
}

interface WritePlace {
  readonly real: string;
  readonly present: Present | undefined;
  /** What is there now. */
  readonly onDisk: () => Buffer | undefined;
  /** Writes new bytes, completely or not at all. Throws when the file changed since it was examined. */
  readonly replace: (bytes: Uint8Array) => void;
}

/**
 * Examines the path that a call wants to write and lets `change` decide. Everything goes through the open folder, so
 * that no link can redirect the write in the meantime.
 */
export async function writeJudged<Result>(
  path: string,
  { callId, gate }: { readonly callId: string; readonly gate: PathGate },
  change: (place: WritePlace) => Promise<Result> | Result,
): Promise<Result> {
  const real = gate.real(path);
  gate.check(callId, real, "write");
  try {
    return await writeIn(openFolder(dirname(real)), real, change);
  } catch (error) {
    throw plainly(error, real);
  }
}

async function writeIn<Result>(
  folder: number,
  real: string,
  change: (place: WritePlace) => Promise<Result> | Result,
): Promise<Result> {
  try {
    const base = process.platform === "linux" ? `/proc/self/fd/${folder}` : dirname(real);
    const target = join(base, basename(real));
    const present = lookAt(target, real);
    const onDisk = () => lookAt(target, real)?.bytes;
    return await change({ real, present, onDisk, replace: (bytes) => replace(target, bytes, { real, present }) });
  } finally {
    closeSync(folder);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "its file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota of this user is exceeded",
};

/** The system's errors name the open folder and a temporary file, which mean nothing to whoever asked for `real`. */
function plainly(error: unknown, real: string): unknown {
  const code = errorCode(error);
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error;
  return new Error(`${real} cannot be written: ${REASONS[code] ?? code}; nothing was written`, { cause: error });
}

/** Opens a folder without following any link on the way, and creates its missing parts. */
function openFolder(path: string): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") throw new Error(`${path} is not a folder`, { cause: error });
    if (errorCode(error) !== "ENOENT") throw error;
    return makeFolder(path);
  }
  const opened = openedPath(descriptor, path);
  if (opened === path) return descriptor;
  closeSync(descriptor);
  throw new Error(`${path} now points to ${opened}; nothing was done`);
}

function makeFolder(path: string): number {
  const above = openFolder(dirname(path));
  try {
    mkdirSync(process.platform === "linux" ? `/proc/self/fd/${above}/${basename(path)}` : path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    closeSync(above);
  }
  return openFolder(path);
}

function lookAt(target: string, real: string): Present | undefined {
  const stat = lstatSync(target, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) throw new Error(`${real} is a folder`);
  if (!stat.isFile()) throw new Error(`${real} is not a regular file`);
  if (stat.size > MAX_FILE_BYTES)
    throw new Error(`${real} has ${stat.size} bytes, too many to change this way; use bash`);
  if ((stat.mode & 0o222) === 0 || !writable(target))
    throw new Error(`${real} is read-only; nothing was changed. Ask before you change its mode`);
  return { stat, bytes: readFileSync(target) };
}

function writable(target: string): boolean {
  try {
    accessSync(target, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function replace(
  target: string,
  bytes: Uint8Array,
  { real, present }: { readonly real: string; readonly present: Present | undefined },
): void {
  // The temporary name does not include the file's name, which may already have the maximum length.
  const temporary = join(dirname(target), `.${randomId().slice(0, 12)}.tmp`);
  try {
    const file = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
    try {
      writeFileSync(file, bytes);
      if (present !== undefined) keepOwner(file, present.stat);
    } finally {
      closeSync(file);
    }
    if (!isSame(target, present)) throw new Error(`${real} was changed at the same time; read it again`);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function keepOwner(file: number, { uid, gid, mode }: Stats): void {
  if (process.getuid?.() === 0) fchownSync(file, uid, gid);
  fchmodSync(file, mode & 0o7777);
}

function isSame(target: string, present: Present | undefined): boolean {
  const now = lstatSync(target, { throwIfNoEntry: false });
  if (now === undefined || present === undefined) return now === undefined && present === undefined;
  const { stat } = present;
  return now.ino === stat.ino && now.size === stat.size && now.mtimeMs === stat.mtimeMs;
}

const EditInput = z.strictObject({
  path: z.string().min(1),
  edits: z
    .array(
      z.strictObject({
        old_string: z.string().describe("exact text in the file; must occur once unless replace_all"),
        new_string: z.string(),
        replace_all: z.boolean().default(false),
      }),
    )
    .min(1)
    .max(100),
});

export const edit = ({ gate, states, buffers }: FileAccess): Tool<typeof EditInput> => ({
  name: "edit",
  description: "Replace text in a file you have read. Edits are applied in order, all or none.",
  input: EditInput,
  sideBySide: false,
  async run({ path, edits }, { callId, signal }) {
    const place = { buffers, signal };
    return await writeJudged(path, { callId, gate }, async ({ real, present, onDisk, replace }) => {
      if (present === undefined) return failure(`${real} does not exist; use write to create it`);
      const seen = await seenFile(real, present.bytes, place);
      const objection = states.objectTo(real, seen.bytes);
      if (objection !== undefined) return failure(objection);
      const form = decodeText(seen.bytes);
      if (form === undefined) return failure(`${real} is not text`);
      const text = applyEdits(form.text, edits);
      const bytes = encodeText({ ...form, text });
      const note = await saveSeen({ real, seen, text, bytes, onDisk, replace }, place);
      states.wrote(real, bytes);
      const done = `changed ${real} (${edits.length} ${edits.length === 1 ? "edit" : "edits"})`;
      return answer([done, note].join("\n").trimEnd(), [{ kind: "write", path: real, before: form.text, after: text }]);
    });
  },
});

interface TextEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

/**
 * Applies edits in order, all or none: the first that does not fit throws and identifies itself.
 * Line endings are ignored when searching; inserted text takes the line endings of its surroundings, and everything
 * else stays.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduce((current, edit, index) => {
    const problem = (what: string) =>
      new Error(`${edits.length === 1 ? "" : `edit ${index + 1} of ${edits.length}: `}${what}; nothing was changed`);
    const old = unix(edit.old_string);
    if (old === "") throw problem("old_string is empty; use write for a new file");
    if (old === unix(edit.new_string)) throw problem("old_string and new_string are the same");
    const plain = unix(current);
    const places = findAll(plain, old);
    if (places.length === 0) throw problem(`old_string is not in the file${hint(plain, old)}`);
    if (places.length > 1 && !edit.replace_all)
      throw problem(
        `old_string is in the file ${places.length} times (lines ${places
          .slice(0, 5)
          .map((place) => lineOf(plain, place))
          .join(", ")}${places.length > 5 ? ", …" : ""}); add lines around it, or set replace_all`,
      );
    return replaceAt(current, places, { length: old.length, text: unix(edit.new_string) });
  }, text);
}

const unix = (text: string) => text.replaceAll("\r\n", "\n");

function findAll(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

const lineOf = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

/** Where the first line of the search text occurs, ignoring whitespace. */
function hint(text: string, old: string): string {
  const first = old
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "");
  const line = first === undefined ? -1 : text.split("\n").findIndex((candidate) => candidate.trim() === first);
  return line === -1
    ? ""
    : `; its first line matches line ${line + 1}, so check the whitespace and the following lines`;
}

/** Replaces each range with `text`. Positions are counted without carriage returns, and the ranges may span them. */
function replaceAt(
  current: string,
  places: readonly number[],
  { length, text }: { readonly length: number; readonly text: string },
): string {
  const pairs = pairPositions(current);
  const mostly = pairs.length * 2 > current.split("\n").length - 1;
  let result = "";
  let done = 0;
  for (const place of places) {
    const from = place + countBelow(pairs, place);
    const to = place + length + countBelow(pairs, place + length);
    const range = current.slice(from, to);
    const windows = range.includes("\n") ? range.includes("\r\n") : mostly;
    result += current.slice(done, from) + (windows ? text.replaceAll("\n", "\r\n") : text);
    done = to;
  }
  return result + current.slice(done);
}

/** The positions of the line feeds of CRLFs after the carriage returns are removed. */
function pairPositions(text: string): readonly number[] {
  const positions: number[] = [];
  for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2))
    positions.push(at - positions.length);
  return positions;
}

function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
