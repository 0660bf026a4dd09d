import { type Effect, question } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { word } from "../model/word.ts";
import type { KnownProgram } from "./known-program.ts";

/** `coverage run`: what follows its options is run by python, as a module with `-m`. */
export function measured(options: string): KnownProgram {
  const behind = options.replace(/-apmiIq/, "-apqI -m --module").replace("--module: ", "");
  return { options: `-h --help ${behind}`, operands: ":", style: "first", open: "asks", more: pythonBehind };
}

function pythonBehind({ operands, options }: Arguments): readonly Effect[] {
  if (operands.length === 0) return [];
  const module = options.some(({ name }) => name === "-m" || name === "--module");
  return [{ kind: "run", words: [word("python3"), ...(module ? [word("-m")] : []), ...operands], sure: true }];
}

/** `coverage erase` deletes its data file, which an option can change to any file. */
export function erasedData({ options }: Arguments): readonly Effect[] {
  const file = options.find(({ name }) => name === "--data-file")?.value;
  if (file === undefined) return [];
  return [
    { kind: "delete", word: file },
    ...(/(?:^|\/)\.coverage[^/]*$/.test(file.text) ? [] : [question("throws-away", `removes ${file.text}`)]),
  ];
}
