import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word, word } from "../model/word.ts";
import { sedBackups } from "./second-names.ts";

/** sed: its script may read, write and run. Its operands are read, and written with `-i`. */
export function sedEffects(given: Arguments): readonly Effect[] {
  const scripts = given.options
    .filter(({ name }) => name === "-e" || name === "--expression")
    .flatMap(({ value }) => value ?? []);
  const scripted = scripts.length > 0 || given.options.some(({ name }) => name === "-f" || name === "--file");
  const files = scripted ? given.operands : given.operands.slice(1);
  const inPlace = given.options.some(({ name }) => name === "-i" || name === "--in-place");
  const fromFile = given.options.some(({ name }) => name === "-f" || name === "--file");
  const sandboxed = given.options.some(({ name }) => name === "--sandbox");
  const first = given.operands[0];
  return [
    ...(scripted || first === undefined ? scripts : [first]).flatMap((script) =>
      sandboxed ? [] : scriptEffects(script),
    ),
    ...(fromFile ? [doubt("sed-script", "the sed script is in a file")] : []),
    ...files.flatMap((file): Effect[] =>
      inPlace
        ? [{ kind: "read", word: file }, { kind: "write", word: file }, ...sedBackups(file, given)]
        : [{ kind: "read", word: file }],
    ),
  ];
}

/** Parses the commands of a sed script. Anything it cannot follow is a doubt. */
function scriptEffects(script: Word): readonly Effect[] {
  if (script.text.includes(UNKNOWN)) return [doubt("sed-script", "the sed script is only known at run time")];
  const effects: Effect[] = [];
  let rest = script.text;
  for (let steps = 0; rest !== "" && steps < 500; steps++) {
    rest = rest.replace(/^[\s;{}]+/, "").replace(/^#[^\n]*/, "");
    const address =
      /^(?:(?:\d+(?:~\d+)?|\$|\/(?:\\.|[^/\\\n])*\/[IM]*|\\(.)(?:(?!\1).)*\1[IM]*)(?:,(?:[+~]?\d+|\$|\/(?:\\.|[^/\\\n])*\/[IM]*))?)?\s*!?\s*/.exec(
        rest,
      )?.[0] ?? "";
    rest = rest.slice(address.length);
    if (rest === "") break;
    const step = readStep(rest);
    if (step === undefined) return [...effects, doubt("sed-script", "the sed script is too complex to check")];
    effects.push(...step.effects);
    rest = rest.slice(step.length);
  }
  return rest === "" ? effects : [...effects, doubt("sed-script", "the sed script is too long")];
}

interface Step {
  readonly effects: readonly Effect[];
  readonly length: number;
}

function readStep(text: string): Step | undefined {
  const letter = text[0] ?? "";
  if (letter === "s" || letter === "y") return readSubstitution(text);
  const plain = Object.entries(PLAIN).find(([letters]) => letters.includes(letter))?.[1];
  if (plain !== undefined) return { effects: [], length: plain.exec(text)?.[0].length ?? 1 };
  const line = text.split("\n", 1)[0] ?? "";
  const effects = fileEffects(letter, word(line.slice(1).trim()));
  return effects === undefined ? undefined : { effects, length: line.length };
}

/** Commands that only print, edit or jump, and the length of each. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  "pPdDgGhHnNxlz=qQF{}": /^.\s*\d*/,
  "btT:": /^.[^;\n}]*/,
  aic: /^(?:[^\n\\]|\\[\s\S])*/,
};

function fileEffects(letter: string, file: Word): readonly Effect[] | undefined {
  switch (letter) {
    case "w":
    case "W":
      return [{ kind: "write", word: file }, doubt("sed-writes", "the sed script writes a file")];
    case "r":
    case "R":
      return [{ kind: "read", word: file }];
    case "e":
      return [doubt("sed-runs", "the sed script runs a command"), { kind: "script", word: file, sure: false }];
    default:
      return undefined;
  }
}

function readSubstitution(text: string): Step | undefined {
  const at = substitutionEnd(text);
  if (at === undefined) return undefined;
  const flags = /^[^;\n}]*/.exec(text.slice(at))?.[0] ?? "";
  const length = at + flags.length;
  const target = /^[gIimMp\d]*w\s*(.+)$/.exec(flags)?.[1];
  if (target !== undefined) return { effects: fileEffects("w", word(target)) ?? [], length };
  if (flags.includes("e"))
    return { effects: [doubt("sed-runs", "the sed script runs the result of a substitution")], length };
  return /^[gIimMp\d\s]*$/.test(flags) ? { effects: [], length } : undefined;
}

/** Where the flags of `s/…/…/` begin. */
function substitutionEnd(text: string): number | undefined {
  const delimiter = text[1] ?? "";
  if (delimiter === "" || delimiter === "\\" || delimiter === "\n") return undefined;
  let seen = 0;
  let at = 2;
  for (let bracket = false; at < text.length && seen < 2; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (bracket) bracket = character !== "]";
    else if (character === "[" && seen === 0) bracket = true;
    else if (character === delimiter) seen++;
  }
  return seen < 2 ? undefined : at;
}
