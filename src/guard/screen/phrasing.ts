import type { Stretch } from "./normalise.ts";

/** The last positions of a negation and a program's name, and the start of the clause. */
interface Seen {
  readonly clause: number;
  readonly negation: Stretch;
  readonly machine: Stretch;
  /** The result of `negatesBehind` for the text. */
  readonly behind: boolean;
}

/**
 * Whether a text has words that negate a preceding verb. Computed once per text, to skip the check after every verb.
 */
export const negatesBehind = (text: string): boolean => BEHIND.test(text);

const BEHIND = /nicht|niet|pas|jamais|[\u0900-\u097f\u3040-\u30ff\uac00-\ud7af]/;

/** "Do not ignore …": a negation right before the verb, or after it in languages that put it there. */
export function negated(text: string, verb: Stretch, { clause, negation, behind }: Seen): boolean {
  if (negation.start >= clause && negation.end <= verb.start && negation.end > 0) {
    const between = text.slice(negation.end, verb.start).trim();
    if (between.length < 12 && !between.includes(" ")) return true;
    // "never print it or write it": one negation covers both.
    if (/^\w{2,12}(?: \w{1,8}){0,2} (?:or|nor)$/.test(between)) return true;
  }
  if (!behind) return false;
  const after = text.slice(verb.end, verb.end + MAX_CLAUSE);
  return NEGATED_AFTER.test(after) || NEGATED_AT_END.test(after);
}

/** "The compiler ignores …", "コンパイラは無視します": a description of a program, not an order. */
export function described(text: string, verb: Stretch, { clause, machine }: Seen): boolean {
  if (machine.start >= clause && machine.end > 0 && machine.end <= verb.start && verb.start - machine.end < NEARBY)
    return SUBJECT_TO_VERB.test(text.slice(machine.end, verb.start));
  if (
    MINE.test(text.slice(verb.end, verb.end + 40)) &&
    AGENT_SUBJECT.test(text.slice(Math.max(clause, verb.start - NEARBY), verb.start))
  )
    return true;
  return INDICATIVE_BEFORE.test(text.slice(Math.max(0, verb.start - 2), verb.start)) || hasIndicativeEnding(text, verb);
}

/** "Remove passwords first": the author does not want the secrets. */
export function spared(text: string, secret: Stretch): boolean {
  return SPARED.test(text.slice(Math.max(0, secret.start - 24), secret.start));
}

/** An option or directive of a tool: `--ignore-case`, `@ts-ignore`, `@override`. */
export function directive(text: string, verb: Stretch): boolean {
  const before = text[verb.start - 1];
  return before === "@" || (before === "-" && (text[verb.start - 2] === "-" || text[verb.end] !== "-"));
}

const SPARED = /\b(?:remov|redact|mask|strip|scrub|rotat|revok|exclud)\w{0,3} (?:any |all |the |your |its )?$/;

const hasIndicativeEnding = (text: string, verb: Stretch): boolean =>
  INDICATIVE_AFTER.test(text.slice(verb.end, verb.end + 10));

/** "The agent forgets my instructions": a complaint by the owner of the instructions. */
const MINE =
  /^.{0,24}?(?:\b(?:my|our|mein|meine|meinen|unsere|mijn|onze|mis|mi|mes|mon|notre|mie|miei|minhas|meus|moje|moich|saya|cua toi)\b|моих?|мої|我的|私の|내 |제 |ของฉัน|שלי)/u;

const AGENT_SUBJECT =
  /(?:agent|assist|asist|asyst|bot|model|tro ly|агент|ассист|асист|助手|エージェント|에이전트|ผู้ช่วย|מ?סוכן)\S{0,8}\s{0,1}$/u;

/** Only words, and none that addresses the reader. */
const SUBJECT_TO_VERB = /^(?!.*\b(?:you|your|ai|agents?|assistants?)\b)[\p{L}\p{M}\p{N} '、]*$/u;

const NEARBY = 60;

const MAX_CLAUSE = 90;

const NEGATED_AFTER = /^.{0,2}(?:しないで|しない|ないで|せず|지 마|지 말|지 않|(?:ना |नी )?(?:न|मत|नहीं) )/u;

/** German and Dutch put the negation at the end of the clause, French on both sides of the verb. */
const NEGATED_AT_END = /^(?:[^.,;:!?\n]{0,80} (?:nicht|niet)(?=[.,;!?\n]|$)| (?:pas|jamais)\b)/;

/** Future, obligation and third person markers that are attached to the verb. */
const INDICATIVE_BEFORE = /(?:会|將|将|已|จะ|ي)$/u;

const INDICATIVE_AFTER =
  /^(?:了|て(?:しま|い)(?:い|っ)?(?:ます|ました|た|る)|버려요|버립니다|버렸|(?:ता|ते|ती) | (?:phrases?|attempts?|patterns?|wordings?)\b|し?ます|されます|しました|されました|しています|합니다|됩니다|했습니다|한다|된다| ?कर(?:ता|ते|ती) )/u;

/**
 * Whether an agent's name is used to address it rather than to talk about it: "AI: …", "Assistant, …", "[for the model]
 * …", "@copilot …". With `certain` the name can only mean an AI, so a colon after it is enough.
 */
export function spokenTo(text: string, name: Stretch, certain: boolean): boolean {
  if (isMentioned(text, name)) return true;
  const after = SET_OFF.exec(text.slice(name.end, name.end + MAX_TITLE))?.[1];
  if (after === undefined || THING_OF.test(text.slice(name.start, name.end + MAX_TITLE))) return false;
  const before = text.slice(Math.max(0, name.start - MAX_GREETING), name.start);
  if (after === "]") return BRACKETED.test(before);
  const comma = after === "," || after === "，" || after === "、";
  return (certain && !comma) || isHead(before);
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

/** `@copilot`, but not `@openai/sdk`; ", assistant." at the end of a sentence. */
function isMentioned(text: string, name: Stretch): boolean {
  if (text[name.start - 1] === "@") return text[name.end] !== "/";
  return text.slice(name.start - 2, name.start) === ", " && /^(?:$|[.!\]"'`)\n])/.test(text[name.end] ?? "");
}

/** Whether the text before a name makes it the start of a message. */
function isHead(before: string): boolean {
  const near = before.slice(-3).trimEnd();
  return TO_WHOM.test(before) || near === "" || before.endsWith("\n") || /[.!?;"'([{<>#/*:\-\n。！？`|@]$/u.test(near);
}
