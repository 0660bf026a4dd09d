import * as z from "zod";
import type { AssistantMessage, CallPart, Message, Obligation, ToolResult } from "../../contract/message.ts";

/**
 * What a history says that must not get lost with it: constraints and decisions that the model wrote down as such, what
 * a person answered or rejected, and a check that is still open. What the user asked is not here: those messages stay.
 */
export function obligationsIn(history: readonly Message[]): readonly Obligation[] {
  const found = new Map<string, Obligation>();
  const add = (obligation: Obligation) => {
    const text = shortened(obligation.text);
    if (text !== "") found.set(`${obligation.kind} ${text}`, { ...obligation, text });
  };
  let calls: readonly CallPart[] = [];
  let check: string | undefined;
  for (const message of history) {
    if (message.role === "user") {
      for (const carried of message.obligations ?? []) {
        if (carried.kind === "check") check = carried.text;
        else add(carried);
      }
      if (message.source === "gate") check = message.text;
    } else if (message.role === "assistant") {
      calls = message.parts.filter((part) => part.type === "call");
      for (const obligation of statedIn(wordsOf(message))) add(obligation);
      // At a natural end the gates were asked again, so an older objection is settled or was repeated.
      if (message.stop === "end") check = undefined;
    } else {
      for (const result of message.results) {
        const said = saidByPerson(
          result,
          calls.find(({ id }) => id === result.callId),
        );
        if (said !== undefined) add(said);
      }
    }
  }
  if (check !== undefined) add({ kind: "check", text: check });
  return [...found.values()];
}

const wordsOf = ({ parts }: AssistantMessage) =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

const STATED = /^(?:decision|decided|constraint)s?[*_]*[ \t]*:[*_]*(.*)$/i;
/** What may stand before the word, or before an item below it. */
const MARKS = /^[ \t*_#>-]*/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$/;
/** A line is no longer than this where it states anything. */
const MAX_LINE = 4_000;

/** The decisions and constraints that a text states: on lines of their own, or as items below such a line. */
export function statedIn(text: string): readonly Obligation[] {
  const found: Obligation[] = [];
  let open: Obligation["kind"] | undefined;
  for (const whole of text.split("\n")) {
    const line = whole.slice(0, MAX_LINE);
    const bare = line.replace(MARKS, "");
    const stated = STATED.exec(bare)?.[1]?.trim();
    const item = ITEM.exec(line)?.[1]?.trim();
    if (stated !== undefined) {
      const kind = /^constraint/i.test(bare) ? "constraint" : "decision";
      if (stated !== "") found.push({ kind, text: stated });
      open = stated === "" ? kind : undefined;
    } else if (open !== undefined && item !== undefined && item !== "") found.push({ kind: open, text: item });
    else if (line.trim() !== "") open = undefined;
  }
  return found;
}

const Question = z.object({ question: z.string() });

const MAX_QUESTION = 300;
const ANSWERED = "The person answered: ";
const REJECTED = "the user rejected this call: ";

function saidByPerson({ name, text }: ToolResult, call: CallPart | undefined): Obligation | undefined {
  if (name === "ask_user" && text.startsWith(ANSWERED)) {
    const { question } = Question.catch({ question: "" }).parse(call?.input);
    const asked = question.length > MAX_QUESTION ? `${question.slice(0, MAX_QUESTION).toWellFormed()}…` : question;
    return { kind: "decision", text: `asked "${asked}", the user answered: ${text.slice(ANSWERED.length)}` };
  }
  if (!text.startsWith(REJECTED)) return undefined;
  const what = `${name} ${JSON.stringify(call?.input ?? {})}`.slice(0, 200);
  return { kind: "constraint", text: `the user rejected ${what}: ${text.slice(REJECTED.length)}` };
}

const MAX_TEXT = 4_000;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT - 1).toWellFormed()}…` : line;
}
