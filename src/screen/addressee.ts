import type { Stretch } from "./normalise.ts";

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
