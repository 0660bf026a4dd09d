import { readdirSync } from "node:fs";
import * as z from "zod";
import type { ImageLimits } from "../../contract/message.ts";
import type { Tool, ToolImage, ToolOutput } from "../../contract/tool.ts";
import { decodeText } from "../../lib/text/text-form.ts";
import { answer } from "./answer.ts";
import { seenFile, type WorkspaceBuffers } from "./editor-buffers.ts";
import { imageSize, imageType } from "./images.ts";
import { type PathGate, readJudged } from "./path-gate.ts";

const Input = z.strictObject({
  path: z.string().min(1),
  offset: z.int().min(1).default(1).describe("first line"),
  limit: z.int().min(1).max(5000).default(2000).describe("number of lines; default: 2000"),
});

export interface FileAccess {
  readonly gate: PathGate;
  readonly states: FileStates;
  /** Files that an editor has open. */
  readonly buffers?: WorkspaceBuffers | undefined;
  /** What the model in use accepts, asked for each image. */
  readonly imageLimits?: (() => ImageLimits | undefined) | undefined;
}

const MAX_LINE = 2000;

const MAX_TEXT = 60_000;

/** For a model whose limits are not known: those of the strictest provider, with some room. */
const MAX_SENT = 4_700_000;

const MAX_PIXELS = 8000;

const MAX_ENTRIES = 500;

export const read = ({ gate, states, buffers, imageLimits }: FileAccess): Tool<typeof Input> => ({
  name: "read",
  description: "Read a text file (lines come with numbers), look at an image, or list a folder.",
  input: Input,
  sideBySide: true,
  async run({ path, offset, limit }, { callId, signal }) {
    const { real, bytes: saved } = readJudged(path, callId, gate);
    const deeds = [{ kind: "read", path: real }] as const;
    if (saved === undefined) return answer(listFolder(real), deeds);
    const mediaType = imageType(saved);
    const seen = await seenFile(real, saved, { buffers, signal });
    const { bytes } = seen;
    const part = { offset, limit };
    const before = states.shownBy(real, part, bytes);
    const shown =
      before !== undefined
        ? unchanged(real, before)
        : mediaType === undefined
          ? showText(real, bytes, part)
          : showImage(real, bytes, mediaType, imageLimits?.());
    // Only what the model was actually shown counts as read, and so may be overwritten.
    states.saw(real, bytes);
    // An image can be taken out of the history when a provider refuses it, so it is always sent again.
    if (before === undefined && mediaType === undefined && bytes.length > 0) states.showed(real, part, callId);
    const note = seen.isUnsaved ? "[not saved: this is the text in the editor]" : seen.note;
    return { ...shown, text: note === undefined ? shown.text : `${note}\n${shown.text}`, deeds };
  },
});

const unchanged = (path: string, callId: string) =>
  answer(
    `[${path} has not changed since you read these lines in this session; their text is in the result of call ${callId}]`,
  );

function showText(path: string, bytes: Buffer, part: FilePart): ToolOutput {
  const form = decodeText(bytes);
  if (form === undefined)
    throw new Error(`${path} is not text (${bytes.length} bytes); look at it with bash, for example file or xxd`);
  const note = form.encoding === "utf-8" ? "" : `[${form.encoding}]\n`;
  return answer(note + showLines(form.text, part.offset, part.limit));
}

function showImage(path: string, bytes: Buffer, mediaType: string, limits: ImageLimits = {}): ToolOutput {
  const { bytes: sent = MAX_SENT, pixels = MAX_PIXELS, count } = limits;
  if (count === 0) throw new Error(`${path} is an image, and the model in use takes no images`);
  const most = Math.floor(sent / 4) * 3;
  if (bytes.length > most)
    throw new Error(`${path} is an image of ${bytes.length} bytes, too large to look at (at most ${most})`);
  const size = imageSize(bytes, mediaType);
  if (size === undefined || size.width === 0 || size.height === 0)
    throw new Error(
      `${path} starts like ${mediaType}, but its header is damaged; look at it with bash, for example file`,
    );
  const { width, height } = size;
  if (Math.max(width, height) > pixels)
    throw new Error(
      `${path} is an image of ${width} × ${height} pixels; the model takes at most ${pixels} on a side. Scale it down first`,
    );
  const image: ToolImage = { mediaType, base64: bytes.toString("base64") };
  return { ...answer(`${path} (${mediaType}, ${width} × ${height} pixels, ${bytes.length} bytes)`), images: [image] };
}

function showLines(text: string, offset: number, limit: number): string {
  if (text === "") return "(the file is empty)";
  const lines = text.replace(/\r?\n$/, "").split("\n");
  if (offset > lines.length) throw new Error(`the file has ${lines.length} lines; ${offset} is past its end`);
  const shown: string[] = [];
  let size = 0;
  for (const [index, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const numbered = `${offset + index}\t${cut(line.replace(/\r$/, ""))}`;
    size += numbered.length + 1;
    if (size > MAX_TEXT && shown.length > 0) break;
    shown.push(numbered);
  }
  const last = offset - 1 + shown.length;
  const rest = last < lines.length ? [`[${lines.length - last} more lines; continue with offset ${last + 1}]`] : [];
  return [...shown, ...rest].join("\n");
}

const cut = (line: string) =>
  line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} [… ${line.length - MAX_LINE} more characters]` : line;

function listFolder(path: string): string {
  const entries = readdirSync(path, { withFileTypes: true }).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const shown = entries.slice(0, MAX_ENTRIES).map((entry) => {
    if (entry.isDirectory()) return `${entry.name}/`;
    return entry.isSymbolicLink() ? `${entry.name}@` : entry.name;
  });
  const rest = entries.length > MAX_ENTRIES ? [`[${entries.length - MAX_ENTRIES} more; use glob]`] : [];
  return entries.length === 0 ? "(the folder is empty)" : [...shown, ...rest].join("\n");
}

/**
 * Which files were read in which state, so that the model never overwrites content it has not seen, and is not sent
 * the same text again. It belongs to one conversation: another one, such as a sub-agent's, has seen other files.
 */
export interface FileStates {
  /** The model was shown the file, or a part of it. */
  saw(real: string, bytes: Uint8Array): void;
  /** The model changed the file, so it knows the state, but was not shown it. */
  wrote(real: string, bytes: Uint8Array): void;
  /** Why a file may not be overwritten, or undefined. */
  objectTo(real: string, bytes: Uint8Array): string | undefined;
  /** The call whose result has the text of this part, if the file is still in that state. */
  shownBy(real: string, part: FilePart, bytes: Uint8Array): string | undefined;
  /** A call's result has the text of this part of the file as it was when last seen. */
  showed(real: string, part: FilePart, callId: string): void;
  /**
   * Must be called when results leave the history, for example by a compaction or an undo: the next `read` then sends
   * the text again. Without `isGone` all of them count as gone. What may be overwritten stays the same.
   */
  forgetShown(isGone?: (callId: string) => boolean): void;
  /**
   * Must be called when turns are taken back: the model may no longer know what it saw in them, so it must read a file
   * again before it overwrites it.
   */
  forgetSeen(): void;
}

/** The lines that a call asked for. */
interface FilePart {
  readonly offset: number;
  readonly limit: number;
}

export function fileStates(): FileStates {
  const seen = new Map<string, string>();
  const shown = new Map<string, Map<string, { readonly state: string | undefined; readonly callId: string }>>();
  return {
    saw: (real, bytes) => void seen.set(real, hash(bytes)),
    wrote(real, bytes) {
      seen.set(real, hash(bytes));
      shown.delete(real);
    },
    objectTo(real, bytes) {
      const known = seen.get(real);
      if (known === undefined) return `${real} exists but has not been read; read it first`;
      return known === hash(bytes) ? undefined : `${real} has changed since it was read; read it again`;
    },
    shownBy(real, part, bytes) {
      const before = shown.get(real)?.get(keyOf(part));
      return before !== undefined && before.state === hash(bytes) ? before.callId : undefined;
    },
    showed(real, part, callId) {
      const parts = shown.get(real) ?? new Map<string, { state: string | undefined; callId: string }>();
      shown.set(real, parts.set(keyOf(part), { state: seen.get(real), callId }));
    },
    forgetShown(isGone = () => true) {
      for (const parts of shown.values())
        for (const [part, { callId }] of parts) if (isGone(callId)) parts.delete(part);
    },
    forgetSeen() {
      seen.clear();
      shown.clear();
    },
  };
}

const keyOf = ({ offset, limit }: FilePart) => `${offset}+${limit}`;

/** Loaded with the first file, so that a session without files starts faster. */
const hash = (bytes: Uint8Array) => process.getBuiltinModule("node:crypto").hash("sha256", bytes, "base64");
