import { join } from "node:path";
import { realPath } from "../../lib/path/real-path.ts";
import { nearestRepository } from "../../lib/path/workspace.ts";
import { type CommandScene, doubt, type Effect, outside } from "../model/effect.ts";
import { UNKNOWN } from "../model/word.ts";
import { gitFolders } from "./git-repository.ts";
import type { Arguments } from "./options.ts";

const UPSTREAM = "sets the upstream of a branch in the repository's settings";

interface SettingsWriter {
  readonly options: RegExp;
  readonly because: string;
}

/** Options with which a subcommand writes the repository's settings. Git accepts them abbreviated. */
const WRITERS: Readonly<Record<string, readonly SettingsWriter[]>> = {
  branch: [
    { options: /^(?:-u|-t|--set-up.*|--uns.*|--tr.*)$/, because: UPSTREAM },
    {
      options: /^(?:-[mMcC]|--mov?e?|--copy?)$/,
      because: "moves or copies the settings of a branch in the repository's settings",
    },
    { options: /^--e.*$/, because: "describes a branch in the repository's settings" },
  ],
  checkout: [{ options: /^(?:-t|--tr.*)$/, because: UPSTREAM }],
  switch: [{ options: /^(?:-t|--tr.*)$/, because: UPSTREAM }],
  worktree: [{ options: /^--tr.*$/, because: UPSTREAM }],
  push: [{ options: /^(?:-u|--set-.*)$/, because: UPSTREAM }],
  fetch: [{ options: /^--set-.*$/, because: UPSTREAM }],
  pull: [{ options: /^--set-.*$/, because: UPSTREAM }],
};

/**
 * What a git subcommand needs inside a sandbox, where the repository's settings are read-only. Git itself notices too
 * late: it reports a tracked or renamed branch and leaves the settings as they were.
 */
export function settingsNeeds(subcommand: string, given: Arguments): readonly Effect[] {
  const verb = given.operands[0]?.text ?? "";
  if (subcommand === "submodule" && isSubmoduleChange(verb, given)) return [SUBMODULES];
  if (subcommand === "sparse-checkout" && /^(?:init|set|add|reapply|disable)$/.test(verb))
    return [settingsNeed("changes which files are checked out in the repository's settings")];
  const names = [
    ...given.options.map(({ name }) => name),
    ...given.strange.map(({ text }) => text.replace(/=.*/s, "")),
  ].filter((name) => name !== "--no-track");
  const writer = (Object.hasOwn(WRITERS, subcommand) ? WRITERS[subcommand] : undefined)?.find(({ options }) =>
    names.some((name) => options.test(name)),
  );
  return writer === undefined ? [] : [settingsNeed(writer.because)];
}

/** `update` writes settings only for submodules that were not initialized. */
function isSubmoduleChange(verb: string, { options, strange }: Arguments): boolean {
  if (/^(?:add|init|deinit|set-url|set-branch|sync|absorbgitdirs)$/.test(verb)) return true;
  return (
    verb === "update" && [...options.map(({ name }) => name), ...strange.map(({ text }) => text)].includes("--init")
  );
}

/** They change several protected files at once, some of which do not exist yet, so nothing can be lent. */
const SUBMODULES = outside(
  "the settings of the repository",
  "needs to change .git/config, .git/modules or .gitmodules, which git also follows outside the sandbox",
);

function settingsNeed(because: string): Effect {
  const objection = (scene: CommandScene): Effect => ({
    ...doubt("git-setting", because),
    need: { kind: "path", target: settingsFile(scene), access: "write", because },
  });
  return { kind: "check", inside: true, objection };
}

/** The settings of the repository that git would find; those of the workspace if that cannot be told. */
function settingsFile({ cwd, workspaceRoot, machine }: CommandScene): string {
  const top = nearestRepository(realPath(cwd, "/", machine.readLink), machine.kind)?.folder;
  const folder = top === undefined ? undefined : gitFolders(top, machine).at(-1);
  return join(folder ?? join(workspaceRoot, ".git"), "config");
}

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
