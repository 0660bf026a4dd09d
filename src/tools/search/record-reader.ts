import { lstatSync } from "node:fs";

/** One record of ripgrep's `--null` output: `NAME NUL TEXT`. */
interface SearchRecord {
  /** The file it refers to. Several when the name is ambiguous; none when it cannot be read. */
  readonly files: readonly string[];
  readonly text: string;
}

export interface SearchRecords {
  /** Takes the next line of output; returns undefined while a record is incomplete. */
  readonly take: (line: string) => SearchRecord | undefined;
  /** Whether ripgrep reported matches in a binary file. */
  readonly metBinary: () => boolean;
}

/**
 * Assembles the lines of a search below `target` into records. A name may contain line feeds, and messages without a
 * NUL appear between records, so the start of a name can be ambiguous. The true name is always among `files`.
 */
export function recordReader(target: string): SearchRecords {
  let pending: string[] = [];
  let metBinary = false;
  return {
    take(line) {
      const end = line.indexOf("\0");
      if (end === -1) {
        metBinary ||= BINARY.test(line);
        pending.push(line);
        return undefined;
      }
      const lines = [...pending, line.slice(0, end)];
      pending = [];
      return { files: possibleNames(lines, target), text: line.slice(end + 1) };
    },
    metBinary: () => metBinary,
  };
}

const BINARY = /: (?:binary file matches|WARNING: stopped searching binary file after match) \(found /;

/** No system can open a longer path. */
const MAX_NAME = 4096;

function possibleNames(lines: readonly string[], target: string): readonly string[] {
  const below = target.endsWith("/") ? target : `${target}/`;
  const names: string[] = [];
  let name: string | undefined;
  for (const line of lines.toReversed()) {
    name = name === undefined ? line : `${line}\n${name}`;
    if (name.length > MAX_NAME) break;
    if (name === target || name.startsWith(below)) names.push(name);
  }
  return lines.length === 1 ? names : names.filter(exists);
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    // Too long for a name, or below something that is not a folder: not a file either way.
    return false;
  }
}
