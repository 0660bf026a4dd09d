import { writeFileSync } from "node:fs";
import { shQuote } from "../../lib/sh-quote.ts";
import { isPoison } from "../../shell/argv/environment.ts";

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
const MAX_VALUES = 32 * 1024;
/** Of these, the guard takes only so many in one script, because they are costly to read. */
const COSTLY = /[;|&$*?[`<({'"]/g;
const MAX_COSTLY = 50;
/** Of a variable that programs act on. */
const MAX_SHOWN = 80;

/** What a command prints is unknown to the guard, so it takes the value for text that could be anything. */
const UNKNOWN_VALUE = "$(cat)";

/**
 * What the guard judges: the script, and in front of it the values of the variables that it mentions. A value that is
 * long, or that only programs write, counts as unknown; it must not make the script look like one that is too hard to
 * read. A variable that programs act on (`XDG_CONFIG_HOME`, where git finds settings that start programs) is always
 * there, as if the script set it. `isSet` says which other variables the shell has; those with a default are then known
 * to be empty.
 */
export function judgedScript(
  script: string,
  variables: ReadonlyMap<string, string>,
  isSet: (name: string) => boolean = () => true,
): string {
  const mentioned = new Set([...script.matchAll(/\$\{?[!#]?([A-Za-z_]\w*)/g)].map((match) => match[1] ?? ""));
  const withDefault = new Set([...script.matchAll(/\$\{([A-Za-z_]\w*):?-/g)].map((match) => match[1] ?? ""));
  const actedOn = [...variables].filter(([name]) => isPoison(name) && !mentioned.has(name));
  let [left, costly] = [MAX_VALUES, MAX_COSTLY];
  const lines = [...mentioned].flatMap((name) => {
    const value = variables.get(name);
    if (value === undefined) return withDefault.has(name) && !isSet(name) ? [`${name}=''\n`] : [];
    const cost = value.match(COSTLY)?.length ?? 0;
    if (value.length > Math.min(MAX_VALUE, left) || cost > costly || /[\u0001-\u0008\u000b-\u001f\u007f]/.test(value))
      return [`${name}=${UNKNOWN_VALUE}\n`];
    [left, costly] = [left - value.length, costly - cost];
    return [`${name}=${shQuote(value)}\n`];
  });
  const shown = actedOn.map(([name, value]) => `${name}=${shQuote(value.slice(0, MAX_SHOWN))}\n`);
  return `${shown.join("")}${lines.join("")}${script}`;
}
