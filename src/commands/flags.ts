import { once as onceEvent } from "node:events";
import { createInterface } from "node:readline/promises";
import { InvalidArgumentError } from "commander";
import { hasGlobFlaw } from "../lib/path/glob.ts";
import { UserError } from "../lib/text/user-error.ts";

/** The flags of a call, by their names in camel case. */
export type Flags = Readonly<Record<string, unknown>>;

/** A flag's text, or undefined when the flag was not given. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

/** All values of a flag that may be repeated. */
export function textsFlag(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** A flag's whole number from `least` to `most`, or undefined when the flag was not given. */
export function countFlag(flags: Flags, name: string, most: number, least = 0): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value;
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UserError(`${flag} needs a whole number from ${least} to ${most}`, {
    where: flag,
    fix: `for example ${flag} 1`,
  });
}

/** Writes one line of JSON to stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** An acceptance command. An empty one always succeeds, so `--accept "$UNSET"` would check nothing. */
export function check(command: string): string {
  if (command.trim() === "") throw new InvalidArgumentError("An empty command checks nothing: omit the flag.");
  return command;
}

/** What decides an acceptance check besides what can be told from it, and what the task may change. */
export function acceptPatterns(flags: Flags, hasCheck: boolean) {
  const read = (name: "acceptKeep" | "acceptChanged", flag: string) => {
    const patterns = textsFlag(flags, name);
    if (patterns.length > 0 && !hasCheck)
      throw new UserError(`${flag} is about a check, and there is none`, {
        where: flag,
        fix: 'add --accept "npm test"',
      });
    return patterns.map((pattern) => readPattern(pattern, flag));
  };
  return {
    acceptKeep: read("acceptKeep", "--accept-keep"),
    acceptChanged: read("acceptChanged", "--accept-changed"),
  };
}

/** A pattern of a flag. Throws a UserError for one that our patterns cannot express. */
function readPattern(pattern: string, flag: string): string {
  if (pattern.trim() !== "" && !pattern.startsWith("!") && !hasGlobFlaw(pattern)) return pattern;
  throw new UserError(`${flag} does not understand the pattern ${JSON.stringify(pattern)}`, {
    where: flag,
    fix: `use *, ** and ?, for example ${flag} 'tests/**'`,
  });
}

/** For flags that may be repeated. */
export const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

/** For flags where a second value silently winning would change the meaning. */
export function once(value: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError("It was passed twice.");
  return value;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The time that `--since` names, in milliseconds: a date, or an age such as 7d. 0 when it was not given. */
export function readSince(value: unknown, now: number = Date.now()): number {
  if (typeof value !== "string") return 0;
  const age = ageOf(value);
  if (age !== undefined) return now - age;
  const time = Date.parse(value);
  if (!Number.isNaN(time)) return time;
  throw new UserError(`${JSON.stringify(value)} is not a time`, {
    where: "--since",
    fix: "use an age such as 7d or 12h, or a date such as 2026-01-31 or 2026-01-31T12:00",
  });
}

/** The milliseconds of an age such as 30d. */
export function readAge(value: string, flag: string): number {
  const age = ageOf(value);
  if (age !== undefined) return age;
  throw new UserError(`${JSON.stringify(value)} is not an age`, {
    where: flag,
    fix: "use an age such as 30d, 12h or 4w",
  });
}

function ageOf(value: string): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(value) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? 0);
}

/** Writes one line of JSON to standard output, and waits when the reader is slower than we are. */
export const printLine = (value: unknown): Promise<void> => printText(`${JSON.stringify(value)}\n`);

/**
 * Writes to standard output, and waits when the reader is slower than we are. Does not wait for a reader that is gone.
 */
export async function printText(text: string): Promise<void> {
  const { stdout } = process;
  if (stdout.destroyed || stdout.write(text)) return;
  // A reader that is gone never drains, and nobody will see the rest.
  await Promise.race([onceEvent(stdout, "drain"), onceEvent(stdout, "close")]).catch(() => {});
}

/** Whether somebody can be asked. */
export const isTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY;

/** Asks a question on the terminal. Only a clear yes counts; without a terminal nobody is asked. */
export async function isConfirmed(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await askLine(question)) ?? "");
}

/** The answer to a question, trimmed. Undefined without a terminal, and when it goes away. */
export async function askLine(question: string): Promise<string | undefined> {
  if (!isTerminal()) return undefined;
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new AbortController();
  // Ctrl-D, which leaves the question unanswered for ever.
  ask.once("close", () => gone.abort());
  try {
    return (await ask.question(question, { signal: gone.signal })).trim();
  } catch {
    return undefined;
  } finally {
    ask.close();
  }
}
