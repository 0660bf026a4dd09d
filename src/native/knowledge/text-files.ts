import { opendirSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { KnowledgePlace } from "../../contract/knowledge.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { isInside } from "../../lib/path/inside.ts";
import { decodeText } from "../../lib/text/text-form.ts";
import { errorCode, messageOf } from "../../lib/text/user-error.ts";

/** The most that one file may have, in bytes. */
const MAX_FILE = 64 * 1024;

type TextFile = { readonly text: string; readonly real: string } | { readonly why: string };

/**
 * A text file for the model, in UTF-8 or UTF-16 or a legacy encoding. Undefined when nothing is there; otherwise a
 * reason when it must not or cannot be read. `root` is the folder that it must be in, with links followed; undefined for
 * the user's own files, which may be anywhere. Never blocks on a FIFO.
 */
export function readText(
  path: string,
  root: string | undefined,
  mayRead: (path: string) => boolean,
): TextFile | undefined {
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

/** The most entries of one folder that are looked at. */
const MAX_ENTRIES = 2000;

interface ListedName {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** The entries of a folder in order of name, none when it cannot be read. Huge folders are listed in part. */
export function listNames(folder: string): { readonly names: readonly ListedName[]; readonly isWhole: boolean } {
  const names: ListedName[] = [];
  try {
    using open = opendirSync(folder);
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      if (names.length === MAX_ENTRIES) return { names: sorted(names), isWhole: false };
      const kind = entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : entry.isFile() ? "file" : "other";
      names.push({ name: entry.name, kind });
    }
  } catch {
    // Nothing there, or nothing that may be read.
  }
  return { names: sorted(names), isWhole: true };
}

const sorted = (names: readonly ListedName[]) =>
  names.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));

/** A path as people know it: relative to the workspace, or with `~`, or absolute. */
export function nameOf(path: string, { workspace, userHome }: Pick<KnowledgePlace, "workspace" | "userHome">): string {
  if (isInside(path, workspace)) return relative(workspace, path);
  return isInside(path, userHome) ? `~/${relative(userHome, path)}` : path;
}
