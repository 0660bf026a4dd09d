import { relative } from "node:path";
import type { CodePlace } from "../../contract/language-servers.ts";
import { isInside } from "../../lib/inside.ts";
import { printableLine } from "../../lib/printable.ts";
import { shortLine } from "../../lib/short-line.ts";
import { decodeText } from "../../lib/text-form.ts";
import type { PathGate } from "../files/path-gate.ts";
import { readJudged } from "../files/read-judged.ts";

const MAX_SHOWN = 200;
const MAX_FILES = 50;
const MAX_LINE = 200;

interface Place {
  readonly gate: PathGate;
  /** Its real path. */
  readonly workspace: string;
}

/** Places as lines for a model, with the text of those that are in the workspace and may be read. */
export function showPlaces(places: readonly CodePlace[], { gate, workspace }: Place): readonly string[] {
  const texts = new Map<string, readonly string[]>();
  const linesOf = (path: string): readonly string[] => {
    const known = texts.get(path);
    if (known !== undefined || texts.size >= MAX_FILES) return known ?? [];
    const lines = readLines(path, gate);
    texts.set(path, lines);
    return lines;
  };
  const visible = places.filter(({ path, isFile }) => !isFile || gate.mayRead(path));
  const shown = visible.slice(0, MAX_SHOWN).map(({ path, isFile, line }) => {
    if (!isFile || !isInside(path, workspace)) return `${printableLine(path)}:${line + 1} (outside the workspace)`;
    const text = shortLine(linesOf(path)[line] ?? "", MAX_LINE);
    return `${printableLine(relative(workspace, path))}:${line + 1}${text === "" ? "" : `: ${text}`}`;
  });
  const [hidden, left] = [places.length - visible.length, visible.length - shown.length];
  return [
    ...(places.length === 0 ? ["(nothing found)"] : shown),
    ...(left > 0 ? [`[${left} more]`] : []),
    ...(hidden > 0 ? [`[${hidden} more in files that may not be read]`] : []),
  ];
}

/** Empty where the file may not be read: a server may name any file, and one may be a link to another place. */
function readLines(path: string, gate: PathGate): readonly string[] {
  try {
    const { bytes } = readJudged(path, NO_CALL, gate);
    return bytes === undefined ? [] : (decodeText(bytes)?.text.split(/\r?\n/) ?? []);
  } catch {
    return [];
  }
}

/** No call was judged for these files, so what needs approval is not read. */
const NO_CALL = "";
