import type { AnswerPart, AssistantMessage } from "../contract/message.ts";

/** The most calls in one answer that every wire accepts back in a history. */
export const MAX_CALLS = 128;

interface Tidied {
  readonly message: AssistantMessage;
  /** Calls that were dropped because there were too many. */
  readonly dropped: number;
}

/**
 * An answer that is valid in a history: ids are unique in the whole session and fit every wire, there are not too many
 * calls, and the call at which an overlong answer was cut off is marked, because its arguments may be incomplete.
 */
export function tidyAnswer(message: AssistantMessage, usedIds: Set<string>): Tidied {
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
    const fixed = { ...part, id: uniqueId(part.id, usedIds), name: fittingName(part.name) };
    parts.push(malformed === undefined ? fixed : { ...fixed, input: {}, malformed: malformed.toWellFormed() });
  }
  return { message: { ...message, parts }, dropped };
}

function uniqueId(id: string, usedIds: Set<string>): string {
  const base = /^[\w-]{1,56}$/.test(id) ? id : `call_${usedIds.size + 1}`;
  let unique = base;
  for (let copy = 2; usedIds.has(unique); copy++) unique = `${base}_${copy}`;
  usedIds.add(unique);
  return unique;
}

/** Wires reject a history that contains a name they would not accept for a tool. */
const fittingName = (name: string) =>
  /^[\w-]{1,64}$/.test(name) ? name : name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
