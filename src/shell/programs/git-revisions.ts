import type { Effect } from "../model/effect.ts";
import { UNKNOWN } from "../model/word.ts";
import type { Arguments } from "./options.ts";

/** What a subcommand does to the work tree when it goes to another revision, or back to the last one. */
export function checkedOut(subcommand: string, { operands, options }: Arguments): readonly Effect[] {
  const does = Object.hasOwn(SUBCOMMANDS, subcommand) ? SUBCOMMANDS[subcommand] : undefined;
  if (does === undefined) return [];
  const has = (...wanted: readonly string[]) => options.some(({ name }) => wanted.includes(name));
  const valueOf = (wanted: string) => options.find(({ name }) => name === wanted)?.value?.text;
  return does(
    operands.map(({ text }) => text),
    { has, valueOf },
  );
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

type Subcommand = (names: readonly string[], options: Options) => readonly Effect[];

const fromHead = (name: string) => comparing([["HEAD", name]], name);
const picked: Subcommand = (names) => names.flatMap((name) => comparing([[name]], name));

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  checkout: (names, options) => switched(names, options, []),
  switch: (names, options) => switched(names, options, options.has("--orphan") ? [GONE] : []),
  reset: ([name], { has }) =>
    has("--hard", "--merge", "--keep") ? [BACK, ...(name === undefined ? [] : fromHead(name))] : [],
  rebase: ([name], { valueOf }) =>
    [name, valueOf("--onto")].flatMap((each) => (each === undefined ? [] : fromHead(each))),
  merge: (names) => names.flatMap((name) => comparing([[BASE, "HEAD", name]], name)),
  pull: ([remote, branch = "HEAD"]) =>
    comparing([[BASE, "HEAD", remote === undefined ? "@{upstream}" : `${remote}/${branch}`]]),
  "cherry-pick": picked,
  revert: picked,
  stash: stashed,
  bisect: ([verb, ...names]) => (verb === "start" || verb === "reset" ? names.flatMap(fromHead) : []),
  "sparse-checkout": ([verb]) => (verb === "list" ? [] : [GONE]),
  "read-tree": (names) => names.flatMap(fromHead),
};

function switched([first, second]: readonly string[], { has }: Options, alone: readonly Effect[]): readonly Effect[] {
  if (second !== undefined || has("-p", "--patch")) return [];
  const back = has("-f", "--force", "--discard-changes") ? [BACK] : [];
  return [...back, ...(first === undefined ? alone : switchedTo(first))];
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
