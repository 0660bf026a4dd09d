import type { RunningShell } from "../../contract/agent-call.ts";
import { differenceText, matters } from "../model/shell-difference.ts";
import type { ShellNode } from "../model/script.ts";
import { agrees } from "./compare.ts";
import { commandsThatMayRun, plainCommand } from "./may-run.ts";
import { commandsThatMustRun } from "./must-run.ts";

/** Longer scripts are not proven, but are still searched for anything denied. */
const MAX_LENGTH = 64 * 1024;

/** The combined result of both readers. */
export interface ScriptReading {
  /** Every command that may run, including control flow and substitutions. */
  readonly nodes: readonly ShellNode[];
  /** What the shell could not parse as written. */
  readonly errors: readonly string[];
  /** Reasons why it is uncertain that exactly these commands run, each with a code; empty if it is proven. */
  readonly doubts: readonly { readonly code: string; readonly because: string }[];
}

/** Reads a script with two independent readers: what may run, and what must run. They must agree. */
export function readScript(source: string, shell: RunningShell): ScriptReading {
  const { nodes, errors } = commandsThatMayRun(source);
  return { nodes, errors, doubts: doubtsAbout(source, nodes, shell) };
}

function doubtsAbout(source: string, nodes: readonly ShellNode[], shell: RunningShell): ScriptReading["doubts"] {
  if (source.length > MAX_LENGTH) return [{ code: "too-much", because: "the command is too long to analyze fully" }];
  const proof = commandsThatMustRun(source);
  if (!proof.proven) return [{ code: "unproven", because: `cannot determine what it runs: ${proof.because}` }];
  const differing = proof.differences.find((one) => matters(one, shell));
  return [
    ...(agrees(proof.commands, nodes)
      ? []
      : [{ code: "disagreement", because: "two parsers read the command differently" }]),
    ...(differing === undefined ? [] : [{ code: "shell-differs", because: differenceText(differing, shell) }]),
  ];
}

/** Parses each stretch between separators separately, to find commands that the parser lost in a broken script. */
export function readFragments(source: string): readonly (readonly ShellNode[])[] {
  const fragments = source.split(/[;&|(){}\n`]+/).slice(0, MAX_FRAGMENTS);
  return fragments
    .filter((fragment) => /^\s*[\w./\\'"]/.test(fragment))
    .map((fragment) => commandsThatMayRun(fragment).nodes);
}

const MAX_FRAGMENTS = 60;

/** True for a command so simple that splitting it at blanks gives its words. */
export function isPlainCommand(source: string): boolean {
  return plainCommand(source) !== undefined;
}

const HOPELESS_LENGTH = 128 * 1024;
const HOPELESS_NESTING = 60;
const HOPELESS_COUNTS: readonly (readonly [string, number])[] = [
  [";|&", 4000],
  ["$", 4000],
  ["*?[", 8000],
  ["`", 400],
  ["<", 4000],
  ["{,", 12_000],
  ["'", 16_000],
  ['"', 16_000],
];

/** True for text so long, deep or dense that parsing it would cost too much. Ignores quoting. */
export function isHopeless(source: string): boolean {
  if (source.length > HOPELESS_LENGTH) return true;
  if (source.length < 400) return false;
  const counts = new Uint32Array(128);
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < source.length; index++) {
    const code = source.charCodeAt(index);
    if (code > 127) continue;
    counts[code] = (counts[code] ?? 0) + 1;
    if (code === OPEN || code === OPEN_BRACE) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE || code === CLOSE_BRACE) depth = Math.max(0, depth - 1);
  }
  const count = (characters: string) =>
    characters.split("").reduce((sum, character) => sum + (counts[character.charCodeAt(0)] ?? 0), 0);
  return deepest > HOPELESS_NESTING || HOPELESS_COUNTS.some(([characters, most]) => count(characters) > most);
}

const [OPEN, CLOSE, OPEN_BRACE, CLOSE_BRACE] = [40, 41, 123, 125];
