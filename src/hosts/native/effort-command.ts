import { printable } from "../../lib/printable.ts";
import { isUserError } from "../../lib/user-error.ts";
import { readEffort, type ThinkingEffort } from "../../models/effort.ts";

/** Carries out `/effort [LEVEL]`, and returns what to show. */
export function effortCommand(task: string, effort: ThinkingEffort): string {
  const word = task.slice("/effort".length).trim();
  if (word === "") return `effort: ${effort.level ?? "the provider's default"}\n`;
  try {
    const note = effort.set(readEffort(word, "/effort"), "/effort");
    return `${note === undefined ? "" : `${note}\n`}effort: ${word}, from the next request on\n`;
  } catch (error) {
    if (!isUserError(error)) throw error;
    return `${printable(error.message)}: ${printable(error.fix)}\n`;
  }
}
