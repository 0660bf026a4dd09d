import type { Effect } from "../model/effect.ts";
import { UNKNOWN } from "../model/word.ts";
import type { Arguments } from "./options.ts";

/** What a subcommand does to the work tree when it goes to another revision, or back to the last one. */
export function checkedOut(subcommand: string, { operands, options }: Arguments): readonly Effect[] {
  const names = operands.map(({ text }) => text);
  const has = (...wanted: readonly string[]) => options.some(({ name }) => wanted.includes(name));
  const valueOf = (wanted: string) => options.find(({ name }) => name === wanted)?.value?.text;
  return effectsOf(subcommand, names, { has, valueOf });
}

interface Options {
  readonly has: (...wanted: readonly string[]) => boolean;
  readonly valueOf: (wanted: string) => string | undefined;
}

const PLAIN = /^[\w@][\w./@{}^~+!#-]*$/;

/** What changed on the other side only. */
const BASE = "--merge-base";

/** What `git diff-tree` has to compare. Of several comparisons the first that git understands counts. */
function comparing(diffs: readonly (readonly string[])[], unsure?: string): readonly Effect[] {
  const safe = diffs.filter((words) =>
    words.every((word) => word === BASE || (PLAIN.test(word) && !word.includes(UNKNOWN))),
  );
  if (safe.length === 0) return [];
  return [{ kind: "checks-out", diffs: safe, ...(unsure === undefined ? {} : { unsure }) }];
}

/** All that is not as in the last commit goes back to it. */
const BACK: Effect = { kind: "git-paths", paths: [], tree: "HEAD" };
const GONE: Effect = { kind: "git-paths", paths: [], removes: true };

function effectsOf(subcommand: string, names: readonly string[], { has, valueOf }: Options): readonly Effect[] {
  const [first, second] = names;
  switch (subcommand) {
    case "checkout":
    case "switch": {
      if (second !== undefined || has("-p", "--patch")) return [];
      const back = has("-f", "--force", "--discard-changes") ? [BACK] : [];
      if (first === undefined) return subcommand === "switch" && has("--orphan") ? [GONE] : back;
      return [...back, ...switchedTo(first)];
    }
    case "reset":
      if (!has("--hard", "--merge", "--keep")) return [];
      return [BACK, ...(first === undefined ? [] : comparing([["HEAD", first]], first))];
    case "rebase":
      return [first, valueOf("--onto")].flatMap((name) =>
        name === undefined ? [] : comparing([["HEAD", name]], name),
      );
    case "merge":
      return names.flatMap((name) => comparing([[BASE, "HEAD", name]], name));
    case "pull":
      return comparing([[BASE, "HEAD", first === undefined ? "@{upstream}" : `${first}/${second ?? "HEAD"}`]]);
    case "cherry-pick":
    case "revert":
      return names.flatMap((name) => comparing([[name]], name));
    case "stash":
      return stashed(names);
    case "bisect":
      if (first !== "start" && first !== "reset") return [];
      return names.slice(1).flatMap((name) => comparing([["HEAD", name]], name));
    case "sparse-checkout":
      return first === "list" ? [] : [GONE];
    case "read-tree":
      return names.flatMap((name) => comparing([["HEAD", name]], name));
    default:
      return [];
  }
}

/** A branch that only the remote has is created. `-` may not be there. */
const switchedTo = (name: string): readonly Effect[] =>
  name === "-"
    ? comparing([["HEAD", "@{-1}"]])
    : comparing(
        [
          ["HEAD", name],
          ["HEAD", `origin/${name}`],
        ],
        name,
      );

/** A stash has what it changes, and a third parent with files that git does not track. */
function stashed([verb = "", ...rest]: readonly string[]): readonly Effect[] {
  if (!/^(?:pop|apply|branch)$/.test(verb)) return [];
  const name = (verb === "branch" ? rest[1] : rest[0]) ?? "0";
  const stash = /^\d+$/.test(name) ? `stash@{${name}}` : name;
  return [
    ...comparing([[`${stash}^1`, stash]]),
    ...comparing([[`${stash}^3`]]),
    ...(verb === "branch" ? comparing([["HEAD", `${stash}^1`]]) : []),
  ];
}
