import { isFlag } from "./refuse-switch-off.ts";

/** The values of a flag, as `--flag=value` or as the words after it. */
export function flagValues(flags: readonly string[], names: readonly string[]): readonly string[] {
  return flags.flatMap((word, index) => {
    const name = names.find((one) => isFlag(word, one));
    if (name === undefined) return [];
    if (word !== name) return [word.slice(name.length + 1)];
    const end = flags.findIndex((next, at) => at > index && next.startsWith("-"));
    return flags.slice(index + 1, end === -1 ? undefined : end);
  });
}
