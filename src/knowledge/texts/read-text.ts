import { realpathSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../lib/error-code.ts";
import { isInside } from "../../lib/inside.ts";
import { messageOf } from "../../lib/message-of.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { decodeText } from "../../lib/text-form.ts";

/** The most that one file may have, in bytes. */
const MAX_FILE = 64 * 1024;

interface ReadingPlace {
  /** The folder that the file must be in, with links followed. Undefined for the user's own files, which may be anywhere. */
  readonly root?: string | undefined;
  readonly mayRead: (path: string) => boolean;
}

export type TextFile = { readonly text: string; readonly real: string } | { readonly why: string };

/**
 * A text file for the model, in UTF-8 or UTF-16 or a legacy encoding. Undefined when nothing is there; otherwise a
 * reason when it must not or cannot be read. Never blocks on a FIFO.
 */
export function readText(path: string, { root, mayRead }: ReadingPlace): TextFile | undefined {
  try {
    const real = realpathSync(path);
    if (root !== undefined && !isInside(real, root)) return { why: "a link out of the repository" };
    if (root !== undefined && isInside(real, join(root, ".git"))) return { why: "a link into .git" };
    if (root !== undefined && (!mayRead(path) || !mayRead(real))) return { why: "the policy denies reading it" };
    const form = decodeText(readBounded(real, MAX_FILE).bytes);
    if (form === undefined) return { why: "not a text file" };
    return { text: form.text, real };
  } catch (error) {
    return problem(error);
  }
}

function problem(error: unknown): { readonly why: string } | undefined {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return undefined;
  if (code === "ELOOP") return { why: "a loop of links" };
  if (code === "EACCES" || code === "EPERM") return { why: `no permission to read it (${code})` };
  return { why: code === undefined ? messageOf(error) : `cannot be read (${code})` };
}
