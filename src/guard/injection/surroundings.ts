import type { Stretch } from "./normalise.ts";
import type { Match } from "./sweep.ts";

/** How much of a match counts, from what stands around it: shown as an example, or merely talked about, it counts less. */
export function weigh(text: string, match: Match, talk: readonly number[]): number {
  const near = talk.some(
    (at) => at > match.start - REACH && at < match.end + REACH && !(at >= match.start && at < match.end),
  );
  const weight = codeLike(text.slice(match.start, match.end)) ? IN_CODE : 1;
  if (!near) return weight;
  return weight * (shown(text, match) ? SHOWN : match.kind === "hidden" ? 1 : TALKED_ABOUT);
}

const REACH = 240;
const SHOWN = 0.25;
const TALKED_ABOUT = 0.6;
const IN_CODE = 0.5;

/** More brackets, semicolons and underscores than a sentence would hold. */
function codeLike(text: string): boolean {
  return (text.match(/[{}()[\];=_$<>+&]/g)?.length ?? 0) * 10 > text.length;
}

const PAIRS = ["“”", "„“", "«»", "「」", "『』", "‹›", "”“", '""', "''", "``", "//"];
const LONGEST_QUOTE = 400;

/** Inside quotation marks, a code span, a regular expression, a quoted line or a table row. */
function shown(text: string, match: Stretch): boolean {
  const from = Math.max(0, match.start - LONGEST_QUOTE);
  const before = text.slice(from, match.start);
  const after = text.slice(match.start, match.start + LONGEST_QUOTE);
  const line = before.slice(before.lastIndexOf("\n") + 1).trimStart();
  if (/^(?:>|\||```)/.test(line)) return true;
  return PAIRS.some((pair) => quotedBy(pair, before, after));
}

function quotedBy(pair: string, before: string, after: string): boolean {
  const [open = "", close = ""] = pair;
  if (open !== close) {
    const opened = before.lastIndexOf(open);
    return opened !== -1 && before.indexOf(close, opened + 1) === -1 && after.includes(close);
  }
  const opened = before.lastIndexOf(open);
  if (opened === -1 || !after.includes(close)) return false;
  // An opening mark follows a blank or a bracket and touches what it opens; an apostrophe does not.
  const outside = before[opened - 1] ?? " ";
  const inside = before[opened + 1] ?? "x";
  return /[\s([{=,:|>]/.test(outside) && /\S/.test(inside);
}
