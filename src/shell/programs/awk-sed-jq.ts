import { doubt, type Effect } from "../model/effect.ts";
import { UNKNOWN, word, type Word } from "../model/word.ts";
import type { Arguments } from "./options.ts";
import { sedBackups } from "./second-names.ts";

/** awk: its program may run commands, write files and show the environment. Its operands are read. */
export function awkEffects(given: Arguments): readonly Effect[] {
  const inFile = given.options.some(({ name }) => name === "-f" || name === "--file");
  const sources = given.options
    .filter(({ name }) => name === "-e" || name === "--source")
    .flatMap(({ value }) => value ?? []);
  const [first] = given.operands;
  const programs = inFile || sources.length > 0 || first === undefined ? sources : [first];
  const files = (programs.includes(first ?? word("")) ? given.operands.slice(1) : given.operands).filter(
    ({ text }) => !/^\w+=/.test(text),
  );
  return [
    ...(inFile ? [doubt("awk-program", "the awk program is in a file")] : []),
    ...programs.flatMap(({ text }) => programEffects(text)),
    ...files.map((file): Effect => ({ kind: "read", word: file })),
  ];
}

function programEffects(program: string): readonly Effect[] {
  if (program.includes(UNKNOWN)) return [doubt("awk-program", "the awk program is only known at run time")];
  if (program.length > 4000) return [doubt("awk-program", "the awk program is too long to check")];
  const effects: Effect[] = [];
  // These words count wherever they appear, even in strings, because hiding them from the reader is the attack.
  if (/\bsystem\s*\(|\bgetline\b|@\s*\w+\s*\(|^\s*@|\bARG[VC]\b|\bSYMTAB\b|\bFUNCTAB\b/m.test(program))
    effects.push(doubt("awk-runs", "the awk program runs a command or reads other input"));
  const { code, strings, doubtful } = readAwkCode(program);
  if (doubtful) effects.push(doubt("awk-program", "the awk program is ambiguous"));
  if (/(?<!\|)\|(?!\|)/.test(code))
    effects.push(doubt("awk-runs", "the awk program runs a command or reads other input"));
  if (/\bENVIRON\b|\bPROCINFO\b/.test(program))
    effects.push(doubt("secret-environment", "the awk program reads the environment"));
  for (const [, index] of code.matchAll(/>>?\s*"(\d+)"/g)) {
    const target = strings[Number(index)] ?? "";
    if (/\bprintf?\b[^;}\n]*>/.test(code))
      effects.push({ kind: "write", word: word(target) }, doubt("awk-writes", "the awk program writes a file"));
  }
  if (/\bprintf?\b(?:[^;}\n(]|\([^)]*\))*>>?\s*[^"\s=\d]/.test(code))
    effects.push(doubt("awk-writes", "the awk program writes a file"));
  return effects;
}

/** A parsed awk program: its code without strings, regular expressions and comments, and the strings. */
interface AwkCode {
  /** Strings appear as `"0"`, `"1"` …, regular expressions as `0`. */
  readonly code: string;
  readonly strings: readonly string[];
  /** Some awk might parse it differently. */
  readonly doubtful: boolean;
}

const STRING = /"(?:\\[^]|[^"\\\n])*"/y;

/** A slash inside brackets ends the expression in some awks only. */
const EXPRESSION = /\/(?:\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\\n])*\]|[^/\\\n[])*\//y;

const COMMENT = /#[^\n]*/y;

const NUMBER_OR_NAME = /[A-Za-z_0-9.$]+/y;

/**
 * Scans the program from left to right like awk, because the meaning of a slash or quote depends on what precedes it.
 */
function readAwkCode(program: string): AwkCode {
  const strings: string[] = [];
  let [code, doubtful, at] = ["", false, 0];
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(program)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  while (at < program.length) {
    const next = program[at];
    if (next === '"') {
      const string = take(STRING);
      if (string === undefined) return { code: code + program.slice(at), strings, doubtful: true };
      code += `"${strings.push(string.slice(1, -1)) - 1}"`;
    } else if (next === "#") {
      if (take(COMMENT)?.includes("\\")) doubtful = true;
    } else if (next === "/" && mayBeExpression(code)) {
      const expression = take(EXPRESSION);
      if (expression === undefined) return { code: code + program.slice(at), strings, doubtful: true };
      if (expression.slice(1, -1).replaceAll(/\\./g, "").includes("/")) doubtful = true;
      code += " 0 ";
    } else code += take(NUMBER_OR_NAME) ?? program[at++] ?? "";
  }
  return { code, strings, doubtful };
}

/** After a value a slash divides; anywhere else it starts a regular expression. */
function mayBeExpression(before: string): boolean {
  const text = before.replace(/[ \t]+$/, "");
  return !/[\w$)\]"]$/.test(text) || /\b(?:print|printf|return|in|case|getline)$/.test(text);
}

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

/** jq: its filter may show the environment or load modules. Its operands are read. */
export function jqEffects(given: Arguments, words: readonly Word[]): readonly Effect[] {
  const { named, rest } = takeNamed(words);
  const fromFile = given.options.some(({ name }) => name === "-f" || name === "--from-file");
  const operands = given.operands.filter((operand) => rest.includes(operand));
  const literal = given.options.some(({ name }) => name === "--args" || name === "--jsonargs");
  const filter = fromFile ? undefined : operands[0];
  const files = literal ? [] : operands.slice(fromFile ? 0 : 1);
  return [
    ...(filter === undefined ? [] : filterEffects(filter.text)),
    ...(fromFile ? [doubt("jq-filter", "the filter is in a file")] : []),
    ...named,
    ...files.map((file): Effect => ({ kind: "read", word: file })),
  ];
}

function filterEffects(filter: string): readonly Effect[] {
  if (filter.includes(UNKNOWN)) return [doubt("jq-filter", "the jq filter is only known at run time")];
  if (filter.length > 8000) return [doubt("jq-filter", "the jq filter is too long to check")];
  const code = filter.replace(/"(?:\\.|[^"\\])*"/g, (literal) => (literal.includes("\\(") ? literal : '""'));
  if (/\$ENV\b|(?<![.\w$"])env\b|\$__prog|\bstrenv\b|\benvsubst\b/.test(code))
    return [doubt("secret-environment", "the filter reads the environment")];
  return /(?<![.\w$])(?:import|include|input_filename|get_search_list|load|eval)\b|\bload_\w+/.test(code)
    ? [doubt("jq-modules", "the filter loads more code")]
    : [];
}

/** `--arg name value` and similar options take two words. */
function takeNamed(words: readonly Word[]): { readonly named: readonly Effect[]; readonly rest: readonly Word[] } {
  const named: Effect[] = [];
  const rest: Word[] = [];
  for (let index = 0; index < words.length; index++) {
    const option = words[index];
    if (option === undefined) break;
    if (!/^--(?:arg|argjson|slurpfile|rawfile)$/.test(option.text)) {
      rest.push(option);
      continue;
    }
    const value = words[index + 2];
    if (value !== undefined && option.text.endsWith("file")) named.push({ kind: "read", word: value });
    index += 2;
  }
  return { named, rest };
}
