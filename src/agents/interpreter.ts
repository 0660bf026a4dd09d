import { basename, resolve } from "node:path";
import { isFile } from "../lib/is-program.ts";
import { readHead } from "../lib/read-head.ts";
import { type Found, searchPath, type SearchPlace } from "./search-path.ts";
import { isInWorkspace } from "./workspace-folders.ts";

/** How to start a program so that no interpreter inside the workspace runs it. */
export interface StartWords {
  readonly words: readonly [string, ...string[]];
  /** Interpreters that come first in PATH, but are inside the workspace. */
  readonly passedOver: readonly string[];
}

/** The only available interpreter is inside the workspace. */
interface NoStart {
  readonly inside: string;
}

/** The system follows this many interpreters. */
const MAX_DEEP = 4;

/**
 * The words that start a program. A script whose shebang uses `env` gets the first interpreter in PATH that is outside the
 * workspace; any other program is started directly, with one word.
 */
export function safeStart(program: string, place: SearchPlace, depth = 0): StartWords | NoStart {
  const asItIs: StartWords = { words: [program], passedOver: [] };
  const interpreter = place.avoid.length === 0 || depth > MAX_DEEP ? undefined : interpreterOf(program, place);
  if (interpreter === undefined) return asItIs;
  const { path, passedOver, flags } = interpreter;
  if (path === undefined) return passedOver[0] === undefined ? asItIs : { inside: passedOver[0] };
  const start = safeStart(path, place, depth + 1);
  if ("inside" in start) return start;
  if (passedOver.length === 0 && start.words.length === 1) return asItIs;
  return { words: [...start.words, ...flags, program], passedOver: [...passedOver, ...start.passedOver] };
}

interface Interpreter extends Found {
  readonly flags: readonly string[];
}

/** The interpreter that a script's shebang refers to, and its flags. */
function interpreterOf(program: string, place: SearchPlace): Interpreter | undefined {
  const [, interpreter, rest = ""] = /^#![ \t]*(\S+)[ \t]*([^\r\n]*)/.exec(readHead(program)) ?? [];
  if (interpreter === undefined) return undefined;
  if (basename(interpreter) === "env") {
    const [name = "", ...flags] = wordsOfEnv(rest);
    return { ...searchPath(name, place), flags };
  }
  const path = resolve(place.cwd, interpreter);
  const flags = rest === "" ? [] : [rest];
  if (!isFile(path)) return undefined;
  return isInWorkspace(path, place.avoid)
    ? { path: undefined, passedOver: [path], flags }
    : { path, passedOver: [], flags };
}

/** The program that `env` would start and its flags, without the options and assignments of `env` itself. */
function wordsOfEnv(text: string): readonly string[] {
  const words = text
    .replace(/^(?:-S|--split-string[= ])/, "")
    .trim()
    .split(/[ \t]+/);
  return words.slice(words.findIndex((word) => !word.startsWith("-") && !word.includes("=")));
}
