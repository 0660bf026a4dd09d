import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EditorBuffers } from "../../contract/tool.ts";
import { isInside } from "../../lib/path/inside.ts";
import { decodeText, encodeText, type TextForm } from "../../lib/text/text-form.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { MAX_FILE_BYTES } from "./path-gate.ts";

/** The open files of one workspace; the editor is not asked about others. */
export interface WorkspaceBuffers extends EditorBuffers {
  /** Its real path. */
  readonly workspace: string;
}

/** A file as the user sees it: the editor's text if that is not saved, else what is on disk. */
interface SeenFile {
  readonly bytes: Buffer;
  readonly isUnsaved: boolean;
  /** Why the editor's text is not used, for the model. */
  readonly note: string | undefined;
}

interface BufferPlace {
  readonly buffers: WorkspaceBuffers | undefined;
  readonly signal: AbortSignal;
}

/** The file at `real`, whose bytes on disk are `bytes`. The guard has already allowed the access. */
export async function seenFile(real: string, bytes: Buffer, place: BufferPlace): Promise<SeenFile> {
  const { buffers, signal } = place;
  const saved = { bytes, isUnsaved: false, note: undefined };
  if (buffers === undefined || !isInside(real, buffers.workspace)) return saved;
  const disk = decodeText(bytes);
  if (disk === undefined) return saved;
  try {
    const check = await steadyPath(real, buffers.workspace);
    const text = await buffers.read(real, signal);
    check();
    if (Buffer.byteLength(text) > MAX_FILE_BYTES) throw new Error("its text is too long");
    if (linesOf(text) === linesOf(disk.text)) return saved;
    return { bytes: encodeText(asSaved(text, disk)), isUnsaved: true, note: undefined };
  } catch (error) {
    signal.throwIfAborted();
    return { ...saved, note: `[without the editor's text: ${messageOf(error)}]` };
  }
}

/** Editors keep lines without CR and without a byte order mark, and put both back when they save. */
const linesOf = (text: string) => text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");

function asSaved(text: string, { text: before, encoding }: TextForm): TextForm {
  const windows = before.includes("\r\n") && !/(?<!\r)\n/.test(before);
  const lines = linesOf(text);
  return { text: windows ? lines.replaceAll("\n", "\r\n") : lines, encoding };
}

interface Save {
  readonly real: string;
  readonly seen: SeenFile;
  /** What is to be saved, as the editor keeps it and as the disk does. */
  readonly text: string;
  readonly bytes: Buffer;
  /** What is on disk at the moment, and what puts something else there. */
  readonly onDisk: () => Buffer | undefined;
  readonly replace: (bytes: Uint8Array) => void;
}

/**
 * Saves a new text. An editor reloads a file without unsaved changes by itself, so only one with such changes is
 * written through the editor. Returns what the model should know.
 */
export async function saveSeen(save: Save, place: BufferPlace): Promise<string | undefined> {
  const { real, seen, bytes, onDisk, replace } = save;
  if (!seen.isUnsaved) {
    replace(bytes);
    return seen.note;
  }
  const before = onDisk();
  const refusal = await writeBuffer(save, place);
  const after = onDisk();
  if (after?.equals(bytes) === true) return undefined;
  if (before === undefined || after?.equals(before) !== true)
    throw new Error(`${real} was saved by the editor with other changes; read it again`);
  // It kept the text without saving it, and commands would not see it; or it refused it.
  replace(bytes);
  return refusal;
}

/** Returns why the editor still shows what it had. */
async function writeBuffer({ real, text }: Save, { buffers, signal }: BufferPlace): Promise<string | undefined> {
  try {
    if (buffers?.write === undefined) throw new Error("it cannot be written to");
    await steadyPath(real, buffers.workspace);
    await buffers.write(real, text, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return `[saved on disk together with the unsaved changes in the editor, which still shows them as unsaved: ${messageOf(error)}]`;
  }
}

/** Longer than the steps of a file system's clock, so that every later change gets another time. */
const SETTLED_MS = 50;

const MAX_TRIES = 4;

/**
 * Prepares to have another program open `real` by its name: waits until no folder between `root` and it is being
 * changed. The returned function throws if one was changed since. Without this, a command in the sandbox could put a
 * link in its place and have a program outside the sandbox follow it.
 */
async function steadyPath(real: string, root: string): Promise<() => void> {
  for (let tries = 1; ; tries++) {
    const { marks, youngest } = foldersAbove(real, root);
    if (Date.now() - youngest >= SETTLED_MS) {
      return () => {
        if (foldersAbove(real, root).marks !== marks) throw new Error(`${dirname(real)} was changed meanwhile`);
      };
    }
    if (tries === MAX_TRIES) throw new Error(`${dirname(real)} is being changed all the time`);
    await sleep(SETTLED_MS);
  }
}

/** What changes whenever a name in one of these folders comes to stand for something else. */
function foldersAbove(real: string, root: string): { readonly marks: string; readonly youngest: number } {
  const folders: string[] = [];
  for (let folder = dirname(real); folder.length >= root.length; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === "/") break;
  }
  const stats = folders.map((folder) => lstatSync(folder, { bigint: true }));
  return {
    marks: stats.map(({ dev, ino, mode, ctimeNs }) => `${dev} ${ino} ${mode} ${ctimeNs}`).join("\n"),
    youngest: Math.max(...stats.map(({ ctimeMs }) => Number(ctimeMs))),
  };
}
