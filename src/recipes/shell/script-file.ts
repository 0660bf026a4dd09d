import { writeFileSync } from "node:fs";
import { shQuote } from "../../lib/sh-quote.ts";

/** A variable larger than this cannot be passed to a program, so only the script itself sees it. */
const MAX_EXPORTED = 96 * 1024;
const MAX_ALL_EXPORTED = 1024 * 1024;

/**
 * Writes the file that a step's shell reads: first the variables, then the script. Values come from a file because the
 * environment has limits on size and the sandbox drops variables that look like secrets.
 */
export function writeScript(path: string, script: string, variables: ReadonlyMap<string, string>): void {
  let exported = 0;
  const lines = [...variables].map(([name, value]) => {
    const size = Buffer.byteLength(value) + name.length;
    const isExported = size <= MAX_EXPORTED && exported + size <= MAX_ALL_EXPORTED;
    if (isExported) exported += size;
    return `${isExported ? "export " : ""}${name}=${shQuote(value)}\n`;
  });
  writeFileSync(path, `${lines.join("")}${script}\n`, { mode: 0o600, flag: "wx" });
}

const MAX_VALUE = 4096;
const MAX_VALUES = 64 * 1024;

/** What the guard judges: the script, and in front of it the values of the variables that it mentions. */
export function judgedScript(script: string, variables: ReadonlyMap<string, string>): string {
  const mentioned = new Set([...script.matchAll(/\$\{?[!#]?([A-Za-z_]\w*)/g)].map((match) => match[1] ?? ""));
  let left = MAX_VALUES;
  const lines = [...variables].flatMap(([name, value]) => {
    if (!mentioned.has(name) || value.length > Math.min(MAX_VALUE, left)) return [];
    left -= value.length;
    return [`${name}=${shQuote(value)}\n`];
  });
  return `${lines.join("")}${script}`;
}
