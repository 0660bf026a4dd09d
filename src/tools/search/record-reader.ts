import { lstatSync } from "node:fs";

/** One record of ripgrep's `--null` output: `NAME NUL TEXT`. */
interface SearchRecord {
  /** The file that it is about. Several when its name can be read in several ways; none when it cannot be read. */
  readonly files: readonly string[];
  readonly text: string;
}

export interface SearchRecords {
  /** Takes the next line of the output; undefined while a record goes on. */
  readonly take: (line: string) => SearchRecord | undefined;
  /** Whether ripgrep remarked that there are hits in a binary file. */
  readonly metBinary: () => boolean;
}

/**
 * Puts the lines of a search below `target` together to records. A name may hold line ends, and remarks without a NUL
 * stand between records, so where a name begins is not always sure. The true name is always among `files`.
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

/** No path that a system opens is longer. */
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
    // Too long for a name, or below something that is no folder: no file either way.
    return false;
  }
}
