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

const STATED = /^[\s*_#>-]*(decision|decided|constraint)s?[*_]*\s*:[*_]*\s*(\S.*)$/gim;

/** The lines of a text that state a decision or a constraint. */
export function statedIn(text: string): readonly Obligation[] {
  return [...text.matchAll(STATED)].map(([, word = "", what = ""]) => ({
    kind: word.toLowerCase() === "constraint" ? "constraint" : "decision",
    text: what.trim(),
  }));
}

const Question = z.object({ question: z.string() });

const ANSWERED = "The person answered: ";
const REJECTED = "the user rejected this call: ";

function saidByPerson({ name, text }: ToolResult, call: CallPart | undefined): Obligation | undefined {
  if (name === "ask_user" && text.startsWith(ANSWERED)) {
    const { question } = Question.catch({ question: "" }).parse(call?.input);
    return { kind: "decision", text: `asked "${question}", the user answered: ${text.slice(ANSWERED.length)}` };
  }
  if (!text.startsWith(REJECTED)) return undefined;
  const what = `${name} ${JSON.stringify(call?.input ?? {})}`.slice(0, 200);
  return { kind: "constraint", text: `the user rejected ${what}: ${text.slice(REJECTED.length)}` };
}

const MAX_TEXT = 600;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT - 1).toWellFormed()}…` : line;
}
