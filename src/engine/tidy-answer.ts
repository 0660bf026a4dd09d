import type { AnswerPart, AssistantMessage } from "../contract/message.ts";

/** The most calls of one answer that every wire takes back in a history. */
export const MAX_CALLS = 128;

interface Tidied {
  readonly message: AssistantMessage;
  /** Calls that were left out because there were too many. */
  readonly dropped: number;
}

/**
 * An answer that can stand in a history: ids are unique in the whole session and fit every wire, there are not too many
 * calls, and the call at which a too long answer was cut is marked, because its arguments may be half.
 */
export function tidyAnswer(message: AssistantMessage, taken: Set<string>): Tidied {
  const parts: AnswerPart[] = [];
  let calls = 0;
  let dropped = 0;
  const last = message.parts.findLast((part) => part.type === "call");
  for (const part of message.parts) {
    if (part.type !== "call") {
      parts.push({ ...part, text: part.text.toWellFormed() });
      continue;
    }
    if (++calls > MAX_CALLS) {
      dropped++;
      continue;
    }
    const cut = message.stop === "length" && part === last;
    const malformed = part.malformed ?? (cut ? JSON.stringify(part.input) : undefined);
    const fixed = { ...part, id: uniqueId(part.id, taken), name: fittingName(part.name) };
    parts.push(malformed === undefined ? fixed : { ...fixed, input: {}, malformed: malformed.toWellFormed() });
  }
  return { message: { ...message, parts }, dropped };
}

function uniqueId(id: string, taken: Set<string>): string {
  const base = /^[\w-]{1,56}$/.test(id) ? id : `call_${taken.size + 1}`;
  let unique = base;
  for (let copy = 2; taken.has(unique); copy++) unique = `${base}_${copy}`;
  taken.add(unique);
  return unique;
}

/** Wires refuse a history with a name that they would not have accepted for a tool. */
const fittingName = (name: string) =>
  /^[\w-]{1,64}$/.test(name) ? name : name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
