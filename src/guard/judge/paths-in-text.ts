/** Characters after which a path may end: an agent may take less of a word for the path than all of it. */
const END = /["'`,;:!?#()[\]{}<>|*]/;

const MAX_MARKS = 200;

/**
 * The paths that a text marks with `@`. An agent that opens a skill reads these files without asking about each. Undefined
 * when there are too many.
 */
export function mentionedPaths(text: string): readonly string[] | undefined {
  const paths = new Set<string>();
  const marks = [...text.matchAll(/@/g)];
  if (marks.length > MAX_MARKS) return undefined;
  for (const { index } of marks) {
    const rest = text.slice(index + 1);
    const quoted = /^(["'])(.+?)\1/.exec(rest)?.[2];
    if (quoted !== undefined) paths.add(quoted);
    const word = /^(?:\\ |\S)+/.exec(rest)?.[0].replaceAll("\\ ", " ") ?? "";
    for (const path of [word, word.split(END)[0] ?? "", word.replace(/[.,;:!?)\]}'"`]+$/, "")])
      if (path !== "") paths.add(path);
  }
  return [...paths];
}

/** The files that a patch names, and the first unreadable line that may name one. */
interface PatchPaths {
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

// Some parsers also end a line at these. Codex does not, and treats them as part of the path.
const OTHER_LINE_END = /[\r\v\f\u0085\u2028\u2029]/;

/**
 * Parses a patch at least as leniently as the agents do: Codex accepts a header after any white space. A line that
 * contains a header's words but is neither a header nor an added or removed line counts as unreadable.
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
