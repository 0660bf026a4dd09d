import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unsettableNames } from "../../lib/dangerous-variables.ts";
import { packageRoot, runsFromSources } from "../../lib/package-root.ts";
import { shQuote } from "../../lib/sh-quote.ts";

export type ScriptName = "launch-bash" | "launch-sh" | "staged" | "entry-plain" | "entry-served";

/** What stands for the placeholders: one word, or several. */
export type ScriptValues = Readonly<Record<string, string | readonly string[]>>;

/** What the scripts start besides people's hooks, which keep their own variables. */
const STARTED = { programs: ["linker", "shell", "node", "perl"] } as const;

/**
 * A script of this folder with its placeholders filled: `@NAME@` becomes quoted words, whatever they hold. Throws for a
 * placeholder without a value and for a value without a placeholder.
 */
export function fillScript(name: ScriptName, values: ScriptValues): string {
  return fillText(readScript(name), { DANGEROUS: unsettableNames(STARTED), ...values });
}

/** Fills the placeholders of one text. Values are never read for placeholders themselves. */
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
  // A script that holds one is cut there, or refused.
  if (word.includes("\0")) throw new Error("a word of a shell script cannot hold a NUL");
  return shQuote(word);
}

/** The first line of a script knows no quotes. */
function plainPath(value: string | readonly string[]): string {
  if (typeof value === "string" && /^\/[\w./+-]+$/.test(value)) return value;
  throw new Error("the interpreter of a script must be a plain absolute path");
}

const FOLDER = runsFromSources ? "src/hooks/client" : "dist/client";

/** The text of a script. What it sources from this folder stands in it, and notes for shellcheck are left out. */
function readScript(name: string): string {
  return readFileSync(join(packageRoot(), FOLDER, `${name}.sh`), "utf8")
    .replaceAll(/^ *# shellcheck .*\n/gm, "")
    .replaceAll(/^\. \.\/([a-z-]+)\.sh\n/gm, (_, sourced: string) => readScript(sourced));
}
