import type { Effect } from "../model/effect.ts";
import { UNKNOWN } from "../model/word.ts";
import type { Arguments } from "./options.ts";

/**
 * What `git diff-tree` has to compare to know which files a subcommand changes in the work tree. Of several comparisons
 * the first that git understands counts. What a `git pull` brings is only known afterwards.
 */
export function checkedOut(subcommand: string, { operands, options }: Arguments): readonly Effect[] {
  const names = operands.map(({ text }) => text);
  const has = (...wanted: readonly string[]) => options.some(({ name }) => wanted.includes(name));
  const diffs = diffsOf(subcommand, names, has);
  const safe = diffs.filter((words) =>
    words.every((word) => word === BASE || (PLAIN.test(word) && !word.includes(UNKNOWN))),
  );
  return safe.length === 0 ? [] : [{ kind: "checks-out", diffs: safe }];
}

const PLAIN = /^[\w@][\w./@{}^~+!#-]*$/;

/** What changed on the other side only. */
const BASE = "--merge-base";

type Diffs = readonly (readonly string[])[];

function diffsOf(
  subcommand: string,
  [first, second]: readonly string[],
  has: (...wanted: readonly string[]) => boolean,
): Diffs {
  if (first === undefined) return subcommand === "pull" ? [[BASE, "HEAD", "@{upstream}"]] : [];
  switch (subcommand) {
    case "checkout":
    case "switch":
      return second !== undefined || has("--orphan", "-p", "--patch") ? [] : switchedTo(first);
    case "reset":
      return has("--hard", "--merge", "--keep") ? [["HEAD", first]] : [];
    case "rebase":
      return [["HEAD", first]];
    case "merge":
      return [[BASE, "HEAD", first]];
    case "pull":
      return [[BASE, "HEAD", `${first}/${second ?? "HEAD"}`]];
    case "cherry-pick":
    case "revert":
      return [[first]];
    default:
      return [];
  }
}

/** A branch that only the remote has is created. */
const switchedTo = (name: string): Diffs =>
  name === "-"
    ? [["HEAD", "@{-1}"]]
    : [
        ["HEAD", name],
        ["HEAD", `origin/${name}`],
      ];
