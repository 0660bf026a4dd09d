import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { readAwkCode } from "./awk-code.ts";
import { UNKNOWN, word } from "../model/word.ts";

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
