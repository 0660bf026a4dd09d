import type { Match, Swept, Stretch } from "./view.ts";

/** What stands before a verb: the start of its clause, the last negation and the last name of a program. */
interface Before {
  readonly clause: number;
  readonly negation: Stretch | undefined;
  readonly machine: Stretch | undefined;
  /** Whether the verb can describe a program: "the compiler ignores …". */
  readonly describable: boolean;
}

/** Whether a verb gives no order: "do not ignore …", "the compiler ignores …", `--ignore-case`, `@ts-ignore`. */
export function descriptionOrNegation(text: string, verb: Stretch, before: Before): boolean {
  if (negated(text, verb, before)) return true;
  return before.describable && (described(text, verb, before) || directive(text, verb));
}

/** A negation right before the verb, or after it in languages that put it there. */
function negated(text: string, verb: Stretch, { clause, negation }: Before): boolean {
  if (negation && negation.start >= clause && negation.end <= verb.start) {
    const between = text.slice(negation.end, verb.start).trim();
    if (between.length < 12 && !between.includes(" ")) return true;
    // "never print it or write it": one negation covers both.
    if (/^\w{2,12}(?: \w{1,8}){0,2} (?:or|nor)$/.test(between)) return true;
  }
  const after = text.slice(verb.end, verb.end + MAX_CLAUSE);
  return NEGATED_AFTER.test(after);
}

const MAX_CLAUSE = 90;

/** German and Dutch put the negation at the end of the clause, French, Japanese, Korean and Hindi behind the verb. */
const NEGATED_AFTER =
  /^[^.,;:!?\n]{0,80} (?:nicht|niet)(?=[.,;!?\n]|$)|^ (?:pas|jamais)\b|^.{0,2}(?:しないで|しない|ないで|せず|지 마|지 말|지 않|(?:ना |नी )?(?:न|मत|नहीं) )/u;

/** "The compiler ignores …" is no order. */
function described(text: string, verb: Stretch, { clause, machine }: Before): boolean {
  if (machine === undefined || machine.start < clause || machine.end > verb.start) return false;
  return verb.start - machine.end < NEARBY && SUBJECT_TO_VERB.test(text.slice(machine.end, verb.start));
}

const NEARBY = 60;
/** Only words, and none that addresses the reader. */
const SUBJECT_TO_VERB = /^(?!.*\b(?:you|your|ai|agents?|assistants?)\b)[\p{L}\p{M}\p{N} '、]*$/u;

/** An option or directive of a tool. */
function directive(text: string, verb: Stretch): boolean {
  const before = text[verb.start - 1];
  return before === "@" || (before === "-" && (text[verb.start - 2] === "-" || text[verb.end] !== "-"));
}

/** "Remove passwords first": the author does not want the secrets. */
export function spared(text: string, secret: Stretch): boolean {
  return SPARED.test(text.slice(Math.max(0, secret.start - 24), secret.start));
}

const SPARED = /\b(?:remov|redact|mask|strip|scrub|rotat|revok|exclud|without)\w{0,3} (?:any |all |the |your |its )?$/;

/** A name inside an identifier, a package or a path (`@ai-sdk/openai`, `MockAgent(`, `user-agent`) addresses nobody. */
export function withinName(text: string, { start, end }: Stretch): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  return /[\w.]$|[a-z0-9][-./_@]$|\/$/.test(before) || /^(?:[-_/.:][a-z0-9]|[(/])/.test(text.slice(end, end + 2));
}

/**
 * Whether an agent's name is used to address it rather than to talk about it: "AI: …", "Assistant, …", "[for the model]
 * …", "@copilot …". With `certain` the name can only mean an AI, so a colon after it is enough.
 */
export function spokenTo(text: string, name: Stretch, certain: boolean): boolean {
  if (text[name.start - 1] === "@") return text[name.end] !== "/";
  const vocative = text.slice(name.start - 2, name.start) === ", ";
  if (vocative && /^(?:$|[.!\]"'`)\n])/.test(text[name.end] ?? "")) return true;
  const after = SET_OFF.exec(text.slice(name.end, name.end + MAX_TITLE))?.[1];
  if (after === undefined || THING_OF.test(text.slice(name.start, name.end + MAX_TITLE))) return false;
  const before = text.slice(Math.max(0, name.start - MAX_GREETING), name.start);
  if (after === "]") return BRACKETED.test(before);
  return (certain && !/[,，、]/.test(after)) || isHead(before);
}

const MAX_TITLE = 30;
const MAX_GREETING = 24;

/** What separates a name from the message to it: a colon, a comma, a dash, an arrow, a closing bracket. */
const SET_OFF = /^(?:[ \w-]{0,24}?)\s?(:(?![:\w])|[,：，、—–\]]|->|\s-\s)/u;

/** "[to the model: …", "# For all agents: …". */
const TO_WHOM = /(?:^|[[(<\n#*/-])\s?(?:note |message |memo )?(?:to|for) (?:the |all |any )?$/;
const BRACKETED = /[[(] ?(?:note |message )?(?:to|for) (?:the |all |any )?$/;

/** "AI review: …", "agent list: …": this names something of the agent, not the agent. */
const THING_OF =
  /^[\w .]{2,30}?[ -](?:reviews?|summary|reports?|scores?|status|usage|version|modes?|name|list|results?|output|costs?|time|count|id|type|provider|sdk|cli|api)\s?[:,]/;

/** Whether the text before a name makes it the start of a message. */
function isHead(before: string): boolean {
  const near = before.slice(-3).trimEnd();
  return TO_WHOM.test(before) || near === "" || before.endsWith("\n") || /[.!?;"'([{<>#/*:\-\n。！？`|@]$/u.test(near);
}

/** How much a match counts. It counts less if it is an example, or if the text discusses attacks. */
export function weigh(text: string, match: Match, { talk, warnings }: Swept): number {
  const warned = near(match, warnings);
  const discussed = near(match, talk);
  if ((warned || discussed) && quoted(text, match)) return SHOWN;
  if (match.kind === "hidden") return 1;
  if (warned || (discussed && IMITATIONS.has(match.kind))) return TALKED_ABOUT;
  return literal(text, match) ? IN_CODE : 1;
}

const [SHOWN, TALKED_ABOUT, IN_CODE] = [0.25, 0.55, 0.5];
const MAX_DISTANCE = 240;
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

/** Quoted at either end. An attribute is always quoted, so for hidden text the tag must be quoted. */
function quoted(text: string, match: Match): boolean {
  if (match.kind === "hidden") return shown(text, text.lastIndexOf("<", match.start));
  return shown(text, match.start) || shown(text, match.end - 1);
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

const MAX_QUOTE = 400;

/** Inside quotation marks, a code span, a regular expression, a quoted line or a table row. */
function shown(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MAX_QUOTE), at);
  const after = text.slice(at, at + MAX_QUOTE);
  const line = before.slice(before.lastIndexOf("\n") + 1).trimStart();
  if (/^(?:>|\||```)/.test(line)) return true;
  return PAIRS.some((pair) => quotedBy(pair, before, after));
}

const PAIRS = ["“”", "„“", "«»", "「」", "『』", "‹›", "”“", '""', "''", "``", "//"];

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
