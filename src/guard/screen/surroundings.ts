import type { Stretch } from "./normalise.ts";
import type { Match, Swept } from "./sweep.ts";

/** How much a match counts. It counts less if it is an example, or if the text discusses attacks. */
export function weigh(text: string, match: Match, { talk, warnings }: Swept): number {
  const warned = near(match, warnings);
  const discussed = near(match, talk);
  if ((warned || discussed) && quoted(text, match)) return SHOWN;
  if (match.kind === "hidden") return 1;
  if (CHANGES.has(match.kind) && inTitle(text, match)) return IN_TITLE;
  if (warned || (discussed && IMITATIONS.has(match.kind))) return TALKED_ABOUT;
  if (literal(text, match)) return IN_CODE;
  return !IMITATIONS.has(match.kind) && codeLike(text.slice(match.start, match.end)) ? IN_CODE : 1;
}

function inTitle(text: string, match: Match): boolean {
  const before = text.slice(0, Math.min(match.start, MAX_TITLE));
  const title = text.slice(0, MAX_TITLE).split("\n", 1)[0] ?? "";
  return match.start < MAX_TITLE && !before.includes("\n") && TITLE.test(title) && !ADDRESSEE.test(title);
}

/** Quoted at either end. An attribute is always quoted, so for hidden text the tag must be quoted. */
function quoted(text: string, match: Match): boolean {
  if (match.kind === "hidden") return shown(text, text.lastIndexOf("<", match.start));
  return shown(text, match.start) || shown(text, match.end - 1);
}

const MAX_DISTANCE = 240;
const SHOWN = 0.25;
const TALKED_ABOUT = 0.55;
const IN_CODE = 0.5;
const IN_TITLE = 0.5;
/** A commit or branch title that describes a change: `ci: skip approval for docs`. */
const TITLE =
  /^(?:revert "|merge |(?:feat|feature|fix|hotfix|bugfix|docs|chore|ci|test|tests|refactor|revert|release|build|perf|style)(?:\([\w ./-]{1,40}\))?!?[:/] ?[a-z])/;
/** A singular name addresses an agent; a plural talks about agents. */
const ADDRESSEE = /\b(?:agent|assistant|ai|llm|claude|copilot|bot)\b/;
const MAX_TITLE = 200;
const CHANGES = new Set(["escalation", "unattended", "control-change", "clearance", "authority", "destruction"]);
/** Kinds that consist of brackets themselves. */
const IMITATIONS = new Set(["role-markup", "tool-call", "escalation"]);

/** Whether one of the sorted places is close to the match but not inside it. */
function near(match: Stretch, places: readonly number[]): boolean {
  let low = 0;
  for (let high = places.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) <= match.start - MAX_DISTANCE) low = middle + 1;
    else high = middle;
  }
  while ((places[low] ?? -1) >= match.start && (places[low] ?? 0) < match.end) low++;
  return low < places.length && (places[low] ?? 0) < match.end + MAX_DISTANCE;
}

/** More brackets, semicolons and underscores than a sentence would contain. */
function codeLike(text: string): boolean {
  return (text.replaceAll(/<\/?[a-z][^<>]{0,80}>/g, "").match(/[{}()[\];=_$<>+&]/g)?.length ?? 0) * 10 > text.length;
}

/** A string that code assigns, passes to a call or lists, rather than the value of a field. */
function literal(text: string, match: Stretch): boolean {
  const before = text.slice(Math.max(0, match.start - MAX_QUOTE), match.start);
  if (METADATA.test(before)) return false;
  return /(?:[=(,[]\s{0,4}r?["'`/]|:\s{1,4}\/)[^"'`\n]{0,200}$/.test(before) && /[\w$]\s?[:+]?=\s|\w\(/.test(before);
}

/** A field for prose in a file that looks like code. */
const METADATA =
  /\b(?:description|summary|title|author|bio|note|notes|message|readme|homepage|comment)"?\s?[:=]\s?["'][^"'\n]{0,300}$/;

const PAIRS = ["“”", "„“", "«»", "「」", "『』", "‹›", "”“", '""', "''", "``", "//"];
const MAX_QUOTE = 400;

/** Inside quotation marks, a code span, a regular expression, a quoted line or a table row. */
function shown(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MAX_QUOTE), at);
  const after = text.slice(at, at + MAX_QUOTE);
  const line = before.slice(before.lastIndexOf("\n") + 1).trimStart();
  if (/^(?:>|\||```)/.test(line)) return true;
  return PAIRS.some((pair) => quotedBy(pair, before, after));
}

function quotedBy(pair: string, before: string, after: string): boolean {
  const [open = "", close = ""] = pair;
  const opened = before.lastIndexOf(open);
  if (opened === -1 || !after.includes(close)) return false;
  if (open !== close) return before.indexOf(close, opened + 1) === -1;
  // An opening quote follows a blank or a bracket and is not followed by a blank; an apostrophe is different.
  const outside = before[opened - 1] ?? " ";
  const inside = before[opened + 1] ?? "x";
  return /[\s([{=,:|>\u2e80-\uffff]/.test(outside) && /\S/.test(inside);
}
