/** What a person has typed at the prompt of a session. */
export type TypedLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "leave" }
  /** Starts with the slash. */
  | { readonly kind: "command"; readonly text: string }
  /** Without the `!`. */
  | { readonly kind: "shell"; readonly text: string }
  | { readonly kind: "task"; readonly text: string };

/** Does not match a path such as /etc/hosts. */
const COMMAND = /^\/[a-z][\w.:-]*(?=\s|$)/i;

/** Words that end the session, as they do in a shell. */
const LEAVING = new Set(["/quit", "/exit", "quit", "exit"]);

/** A space before a text makes it a task, whatever it says; so does a second slash. */
export function readTyped(text: string): TypedLine {
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "nothing" };
  if (LEAVING.has(text.trimEnd())) return { kind: "leave" };
  if (COMMAND.test(text)) return { kind: "command", text: trimmed };
  if (/^!\s*\S/.test(text)) return { kind: "shell", text: trimmed.slice(1).trim() };
  return { kind: "task", text: text.startsWith("//") ? text.slice(1) : text };
}
