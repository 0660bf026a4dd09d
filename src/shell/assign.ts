import { doubt, type Effect } from "./effect.ts";
import { assignmentEffects, exportEffects } from "./environment.ts";
import { type ShellState, UNKNOWN_WORD } from "../guard/examine/examination.ts";
import { isKnown, word } from "./word.ts";

/**
 * A name gets a value: remembers it, and returns what speaks against it. Every way of setting a variable ends here,
 * whether the shell's grammar has it, a loop or a built-in.
 */
export function assign(
  { name, value, exported }: Omit<Extract<Effect, { kind: "assign" }>, "kind">,
  state: ShellState,
): readonly Effect[] {
  if (!isKnown(name)) {
    // It may be any of them.
    for (const known of state.variables.keys()) state.variables.set(known, UNKNOWN_WORD);
    return [doubt("environment", "which variable it sets is only known at run time")];
  }
  if (name.text.includes("[")) return [doubt("subscript", "a subscript is evaluated as code")];
  if (value !== undefined) state.variables.set(name.text, value);
  const now = state.variables.get(name.text) ?? word("");
  // One of several values is none that a list of harmless ones could hold.
  const judged = now.others === undefined ? now : UNKNOWN_WORD;
  return exported ? exportEffects(name.text, judged) : assignmentEffects(name.text, judged);
}
