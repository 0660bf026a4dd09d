import { InvalidArgumentError } from "commander";
import { readPattern } from "../acceptance/read-pattern.ts";
import { UserError } from "../lib/user-error.ts";

/** A flag's text, or undefined when the flag was not given. */
export function textFlag(flags: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

/** All values of a flag that may be repeated. */
export function textsFlag(flags: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** A flag's whole number from 0 to `most`, or undefined when the flag was not given. */
export function countFlag(flags: Readonly<Record<string, unknown>>, name: string, most: number): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value <= most) return value;
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UserError(`${flag} needs a whole number from 0 to ${most}`, { where: flag, fix: `for example ${flag} 1` });
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
export function acceptPatterns(flags: Readonly<Record<string, unknown>>, hasCheck: boolean) {
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

/** For flags where a second value silently winning would change the meaning. */
export function once(value: string, previous: string | undefined): string {
  if (previous !== undefined) throw new InvalidArgumentError("It was passed twice.");
  return value;
}
