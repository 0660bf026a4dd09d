import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { namedFew } from "../../lib/text/printable.ts";
import { errorCode, isMissing } from "../../lib/text/user-error.ts";
import { isInside } from "../../lib/path/inside.ts";

/** What of a repository a launch may read on behalf of its agent. */
export interface ReadingRights {
  readonly workspace: string;
  /** False for a path that the policy keeps from being read. */
  readonly mayRead: (path: string) => boolean;
}

interface InstructionText {
  readonly text: string;
  readonly bytes: number;
  /** True when the file is longer than the limit. */
  readonly cut: boolean;
}

type InstructionFile = InstructionText | { readonly problem: string };

/**
 * The first bytes of a text file of the workspace. Undefined when there is no file at that path; a problem when the file
 * must not or cannot be read: a link out of the workspace, a path the policy denies, a device, a binary. Never blocks.
 */
export function readInstruction(path: string, most: number, parts: ReadingRights): InstructionFile | undefined {
  try {
    const real = realpathSync(path);
    const workspace = realpathSync(parts.workspace);
    if (!isInside(real, workspace)) return { problem: "it is a link out of the workspace" };
    if (isInside(real, join(workspace, ".git"))) return { problem: "it leads into .git" };
    if (!parts.mayRead(path) || !parts.mayRead(real)) return { problem: "the policy denies reading it" };
    return readStart(real, most);
  } catch (error) {
    if (isMissing(error)) return undefined;
    const code = errorCode(error);
    return { problem: code === undefined ? "it cannot be read" : `it cannot be read (${code})` };
  }
}

function readStart(path: string, most: number): InstructionFile | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stat = fstatSync(file);
    // No agent reads a folder of that name as instructions.
    if (stat.isDirectory()) return undefined;
    if (!stat.isFile()) return { problem: "it is not a regular file" };
    const buffer = Buffer.alloc(Math.min(stat.size, most));
    let size = 0;
    for (let read = -1; read !== 0 && size < buffer.length; size += read)
      read = readSync(file, buffer, size, buffer.length - size, null);
    const bytes = buffer.subarray(0, size);
    if (bytes.includes(0)) return { problem: "it is not text" };
    return { text: bytes.toString("utf8").replace(/^\uFEFF/, ""), bytes: size, cut: stat.size > most };
  } finally {
    closeSync(file);
  }
}

/** A file of the repository that the agent does not get, and why. */
export interface LeftOut {
  readonly path: string;
  readonly because: string;
}

const MAX_NAMES = 5;

/** Paths relative to the workspace: the first few by name, the rest as a count. */
export const namePaths = (paths: readonly string[], workspace: string): string =>
  namedFew(
    paths.map((path) => relative(workspace, path)),
    MAX_NAMES,
  );

/** One line that lists the instruction files that the agent does not get; undefined when it gets all. */
export function leftOutLine(title: string, files: readonly LeftOut[], workspace: string): string | undefined {
  if (files.length === 0) return undefined;
  const reasons = [...new Set(files.map(({ because }) => because))].map(
    (because) =>
      `${namePaths(
        files.filter((file) => file.because === because).map(({ path }) => path),
        workspace,
      )} (${because})`,
  );
  return `left out of the instructions for ${title}: ${reasons.slice(0, MAX_NAMES).join("; ")}; copy the text you need into AGENTS.md or the prompt`;
}
