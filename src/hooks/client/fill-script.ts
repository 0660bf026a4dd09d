import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unsettableNames } from "../../lib/process/dangerous-variables.ts";
import { packageFolder, runsFromSources } from "../../lib/path/package-folder.ts";
import { shQuote } from "../../lib/text/shell-words.ts";

export type ScriptName = "launch-bash" | "launch-sh" | "staged" | "entry-plain" | "entry-served";

/** The values of the placeholders: one word, or several. */
export type ScriptValues = Readonly<Record<string, string | readonly string[]>>;

/** What the scripts start, other than users' hooks, which keep their own variables. */
const STARTED = { programs: ["linker", "shell", "node", "perl"] } as const;

/**
 * Fills the placeholders of a script in this folder: `@NAME@` becomes quoted words, whatever they contain. Throws for a
 * placeholder without a value, and for a value without a placeholder.
 */
export function fillScript(name: ScriptName, values: ScriptValues): string {
  return fillText(readScript(name), { DANGEROUS: unsettableNames(STARTED), ...values });
}

/** Fills the placeholders of one text. Placeholders inside values are not expanded. */
export function fillText(text: string, values: ScriptValues): string {
  const open = new Set(Object.keys(values));
  const filled = text.replaceAll(/^#!@([A-Z_]+)@|@([A-Z_]+)@/gm, (_, interpreter?: string, word?: string) => {
    const name = interpreter ?? word ?? "";
    const value = values[name];
    if (value === undefined) throw new Error(`the placeholder @${name}@ has no value`);
    open.delete(name);
    return interpreter === undefined ? words(value) : `#!${plainPath(value)}`;
  });
  if (open.size > 0) throw new Error(`there is no placeholder for ${[...open].join(", ")}`);
  return filled;
}

const words = (value: string | readonly string[]) => [value].flat().map(quoted).join(" ");

function quoted(word: string): string {
  // A shell truncates or rejects a script that contains one.
  if (word.includes("\0")) throw new Error("a word of a shell script cannot contain a NUL");
  return shQuote(word);
}

/** A shebang line cannot contain quotes. */
function plainPath(value: string | readonly string[]): string {
  if (typeof value === "string" && /^\/[\w./+-]+$/.test(value)) return value;
  throw new Error("the interpreter of a script must be a plain absolute path");
}

const FOLDER = runsFromSources ? "src/hooks/client" : "dist/client";

/** The text of a script, with the files it sources from this folder inlined and shellcheck directives removed. */
function readScript(name: string): string {
  return readFileSync(join(packageFolder(), FOLDER, `${name}.sh`), "utf8")
    .replaceAll(/^ *# shellcheck .*\n/gm, "")
    .replaceAll(/^\. \.\/([a-z-]+)\.sh\n/gm, (_, sourced: string) => readScript(sourced));
}
