import { basename, resolve } from "node:path";
import { isFile } from "../lib/is-program.ts";
import { readHead } from "../lib/read-head.ts";
import { type Found, searchPath, type SearchPlace } from "./search-path.ts";
import { isInWorkspace } from "./workspace-folders.ts";

/** How a program is started so that no interpreter in the workspace runs it. */
export interface StartWords {
  readonly words: readonly [string, ...string[]];
  /** Interpreters that PATH names first and that lie in the workspace. */
  readonly passedOver: readonly string[];
}

/** The only interpreter that there is lies in the workspace. */
interface NoStart {
  readonly inside: string;
}

/** As many interpreters as the system follows. */
const MAX_DEEP = 4;

/**
 * The words that start a program. A script whose first line asks `env` for an interpreter gets the first one of PATH
 * outside the workspace; every other program is started as it is, with one word.
 */
export function safeStart(program: string, place: SearchPlace, depth = 0): StartWords | NoStart {
  const asItIs: StartWords = { words: [program], passedOver: [] };
  const asked = place.avoid.length === 0 || depth > MAX_DEEP ? undefined : askedFor(program, place);
  if (asked === undefined) return asItIs;
  const { path, passedOver, flags } = asked;
  if (path === undefined) return passedOver[0] === undefined ? asItIs : { inside: passedOver[0] };
  const start = safeStart(path, place, depth + 1);
  if ("inside" in start) return start;
  if (passedOver.length === 0 && start.words.length === 1) return asItIs;
  return { words: [...start.words, ...flags, program], passedOver: [...passedOver, ...start.passedOver] };
}

interface Asked extends Found {
  readonly flags: readonly string[];
}

/** The interpreter that a script's first line leads to, and its flags. */
function askedFor(program: string, place: SearchPlace): Asked | undefined {
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

/** What `env` is asked for, and the flags behind it; settings and options of `env` itself are left away. */
function wordsOfEnv(text: string): readonly string[] {
  const words = text
    .replace(/^(?:-S|--split-string[= ])/, "")
    .trim()
    .split(/[ \t]+/);
  return words.slice(words.findIndex((word) => !word.startsWith("-") && !word.includes("=")));
}
