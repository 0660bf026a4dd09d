import { join } from "node:path";
import { nearestRepository } from "../../lib/nearest-repository.ts";
import { realPath } from "../../lib/real-path.ts";
import { type CommandScene, doubt, type Effect, outside } from "../model/effect.ts";
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
