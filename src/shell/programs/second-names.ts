import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { type Word, word } from "../model/word.ts";

/** The backup names that cp, mv, ln and install use for overwritten files, if told to make backups. */
export function keptAs(effects: readonly Effect[], { options }: Arguments): readonly Effect[] {
  if (!options.some(({ name }) => KEEPS.has(name))) return [];
  const given = options.filter(({ name }) => name === "-S" || name === "--suffix").flatMap(({ value }) => value ?? []);
  const suffixes = [...given, word("~"), word(".~1~")];
  return effects.flatMap((effect) =>
    effect.kind === "write" && !NAMELESS.test(effect.word.text)
      ? suffixes.map((suffix): Effect => ({ kind: "write", word: withSuffix(effect.word, suffix) }))
      : [],
  );
}

const KEEPS = new Set(["-b", "--backup", "-S", "--suffix"]);

/** A folder, which is not backed up. */
const NAMELESS = /(?:^|\/)\.{0,2}$/;

function withSuffix(file: Word, suffix: Word): Word {
  return { ...file, text: file.text + suffix.text, glob: file.glob || suffix.glob };
}

/** The backup names that `sed -i` uses for the files it edits. */
export function sedBackups(file: Word, { options, operands }: Arguments): readonly Effect[] {
  const edits = options.filter(({ name }) => name === "-i" || name === "--in-place");
  const attached = edits.flatMap(({ value }) => value ?? []);
  // BSD sed takes the next word as the suffix.
  const next = edits.length > attached.length && operands.length > 2 ? operands.slice(0, 1) : [];
  return [...attached, ...next.filter(({ text }) => /^[\w.~-]+$/.test(text))].flatMap((suffix) =>
    suffix.text === "" ? [] : sedBackup(file, suffix),
  );
}

/** The suffix of `-i` may contain a folder, and `*` for the file's name. Then it is a separate path. */
function sedBackup(file: Word, suffix: Word): readonly Effect[] {
  const write = (text: string): Effect => ({ kind: "write", word: { ...file, text } });
  if (!/[/*\u0000]/.test(suffix.text)) return [write(file.text + suffix.text)];
  const folder = file.text.slice(0, file.text.lastIndexOf("/") + 1);
  const name = file.text.slice(folder.length);
  const text = suffix.text.includes("*") ? suffix.text.replaceAll("*", () => name) : name + suffix.text;
  return [
    doubt("sed-backup", "the suffix of -i names another folder or file"),
    write(text),
    write(folder + text),
    { kind: "write", word: word(suffix.text.replace(/\/?\*.*$/, "") || "/") },
  ];
}
