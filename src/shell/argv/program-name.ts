import { lexicalPath } from "../../lib/real-path.ts";
import { doubt, type Effect } from "../model/effect.ts";
import { word } from "../model/word.ts";

const SYSTEM_FOLDERS = new Set([
  "/bin",
  "/sbin",
  "/usr/bin",
  "/usr/sbin",
  "/usr/local/bin",
  "/usr/local/sbin",
  "/opt/homebrew/bin",
]);

/**
 * The name of a command for the rules (`program`) and for the tables (`name`). A program given by path is also read.
 */
export function programName(text: string): {
  readonly program: string;
  readonly name: string;
  readonly effects: readonly Effect[];
} {
  const strange = /[^\u0000-\u007e]/.test(text)
    ? [doubt("program-letters", "the program's name contains look-alike letters, or no letters")]
    : [];
  if (!text.includes("/")) return { program: text, name: text, effects: strange };
  const path = text.startsWith("/") ? lexicalPath(text, "/") : text;
  const at = path.lastIndexOf("/");
  const name = path.slice(at + 1);
  if (SYSTEM_FOLDERS.has(path.slice(0, at))) return { program: name, name, effects: strange };
  return { program: text, name, effects: [...strange, { kind: "read", word: word(text) }] };
}
