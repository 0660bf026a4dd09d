/** The files that a patch names, and the first line that may name one and cannot be read. */
export interface PatchPaths {
  readonly paths: readonly string[];
  readonly unread: string | undefined;
}

const BLANK = "[\\s\\u0085]";
const HEADER = new RegExp(`^${BLANK}*\\*\\*\\* (?:(?:Add|Update|Delete) File|Move to): (.*)$`, "is");
const UNIFIED = /^(?:\+\+\+ (?:b\/)?|--- (?:a\/)?)(.*)$/s;
const MARK = new RegExp(
  `\\*{3}${BLANK}*(?:(?:Add|Update|Delete)${BLANK}*File|Move${BLANK}*to|Environment${BLANK}*ID)`,
  "i",
);
const OUTER_BLANK = new RegExp(`^${BLANK}|${BLANK}$`);
// Some readers end a line at these too; Codex does not, and takes them as a part of the path.
const OTHER_LINE_END = /[\r\v\f\u0085\u2028\u2029]/;

/**
 * Reads a patch at least as widely as the agents do: Codex takes a header behind any white space. A line that holds
 * the words of a header and is neither one nor an added or removed line counts as unread.
 */
export function patchPaths(patch: string): PatchPaths {
  const paths: string[] = [];
  let unread: string | undefined;
  for (const line of patch.split("\n")) {
    const path = pathIn(line);
    if (path === undefined ? hidesHeader(line) : OUTER_BLANK.test(path)) unread ??= line;
    else if (path !== undefined) paths.push(path);
  }
  return { paths, unread };
}

function pathIn(line: string): string | undefined {
  const header = HEADER.exec(line)?.[1];
  if (header !== undefined) return header.replace(/[ \t\r]+$/, "");
  const unified = UNIFIED.exec(line)?.[1]?.trim();
  return unified === "" || unified === "/dev/null" ? undefined : unified;
}

function hidesHeader(line: string): boolean {
  const [first = "", ...others] = line.split(OTHER_LINE_END);
  return others.some((part) => MARK.test(part)) || (!/^[+-]/.test(first) && MARK.test(first));
}
