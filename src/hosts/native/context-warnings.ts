import type { Knowledge } from "../../knowledge/instructions/load-instructions.ts";
import { printableLine } from "../../lib/printable.ts";
import { screen } from "../../screen/screen.ts";
import type { NativeContext } from "./native-context.ts";

const MAX_NAMED = 3;

/** What a person should know about the instructions of a session before it begins, in at most two lines. */
export function contextWarnings(context: Pick<NativeContext, "instructions" | "notLoaded">): readonly string[] {
  const missing = context.notLoaded.filter(({ expected }) => expected !== true);
  const steering = suspiciousNames(context.instructions.loaded);
  return [
    ...(missing.length === 0
      ? []
      : [`not loaded: ${few(missing.map(({ name, why }) => `${name} (${why})`))}; details: signalbox context`]),
    ...(steering.length === 0
      ? []
      : [`${few(steering)} may try to turn the agent against you or its rules; read it before you rely on the result`]),
  ];
}

/** Instruction files of the repository that read like an attack on the agent. They are loaded, and said. */
export function suspiciousNames(loaded: Knowledge["loaded"]): readonly string[] {
  return loaded
    .filter(({ kind }) => kind !== "user" && kind !== "directory")
    .filter(({ text }) => !["none", "low"].includes(screen(text, { channel: "rules_file" }).risk))
    .map(({ names }) => names.join(", "));
}

function few(items: readonly string[]): string {
  const more = items.length > MAX_NAMED ? ` and ${items.length - MAX_NAMED} more` : "";
  return `${items.slice(0, MAX_NAMED).map(printableLine).join(", ")}${more}`;
}
