import { dirname, join, resolve } from "node:path";
import type { Machine } from "../../contract/machine.ts";
import { isBelow, realPath } from "../../lib/path/real-path.ts";
import { nearestRepository } from "../../lib/path/workspace.ts";
import { type CommandScene, type Doubt, doubt, type Effect } from "../model/effect.ts";
import { UNKNOWN, type Word, word } from "../model/word.ts";
import type { Arguments } from "./options.ts";

const HOOKS =
  "applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit p4-prepare-changelist post-applypatch post-checkout post-commit post-index-change post-merge post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg proc-receive push-to-checkout reference-transaction sendemail-validate update";

const PLAIN_LINE =
  /^\s*(?:[#;].*|\[(?:core|user|init|pull|push|color|gc|remote "[^"\\]*"|branch "[^"\\]*")\]|(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|quotepath|name|email|fetch|remote|merge|rebase|defaultbranch|default|ff|ui|auto|prune|tagopt)\s*=[^\\]*|url\s*=\s*(?!ext::|-)[^\\]*)?$/i;

/**
 * Git reads settings from the repository it finds, and settings can run programs, so it must be the workspace's own.
 */
export const OWN_REPOSITORY: Effect = { kind: "check", objection: foreignRepository };

/** Subcommands that write files of a commit into the work tree. */
const CHECKS_OUT =
  /^(?:checkout|switch|restore|reset|pull|merge|stash|cherry-pick|revert|rebase|apply|am|read-tree|checkout-index|submodule|worktree|sparse-checkout)$/;

/** The effects of every git call, whatever its subcommand. */
export function gitUse(subcommand: string, { operands }: Arguments): readonly Effect[] {
  const added = subcommand === "worktree" && operands[0]?.text === "add" ? operands[1] : undefined;
  const makes = subcommand === "init" ? operands[0] : added;
  const linked: readonly Effect[] = DESCENDS.test(subcommand) ? [LINKED_REPOSITORIES] : [];
  return [OWN_REPOSITORY, ...linked, { kind: "uses-git", checksOut: CHECKS_OUT.test(subcommand), makes }];
}

/** Subcommands that look into the repositories in the work tree, or run git there. */
const DESCENDS =
  /^(?:status|diff|diff-files|diff-index|add|commit|stash|checkout|switch|restore|reset|merge|pull|rebase|cherry-pick|revert|rm|mv|describe|submodule|ls-files|grep|fetch|push|clean|bisect|am|apply|archive)$/;

const MAX_LINKED = 3;

const LINKED_REPOSITORIES: Effect = { kind: "check", objection: (scene) => foreignLink(scene, 0) };

/** A repository that the index names, for which git uses that one's settings, as do those that it names itself. */
function foreignLink(scene: CommandScene, depth: number): Doubt | undefined {
  const { machine } = scene;
  if (machine.gitLinks === undefined) return undefined;
  const top = nearestRepository(realPath(scene.cwd, "/", machine.readLink), machine.kind)?.folder;
  const folder = top === undefined ? undefined : gitFolder(top, machine);
  if (top === undefined || folder === undefined) return undefined;
  return machine
    .gitLinks(join(folder, "index"))
    .map((name) => ({ ...scene, cwd: join(top, name) }))
    .filter(({ cwd }) => machine.kind?.(join(cwd, ".git")) !== undefined)
    .map((inner) => foreignRepository(inner) ?? (depth < MAX_LINKED ? foreignLink(inner, depth + 1) : undefined))
    .find((found) => found !== undefined);
}

/** A remote on this disk: git runs there with that repository's settings. */
export const localRemote = (remote: Word): Effect => ({
  kind: "check",
  objection: ({ cwd, ...scene }) => {
    const path = remote.text.replace(/^file:\/\//, "").replace(/^~(?=\/|$)/, () => scene.home);
    const folder = realPath(path, cwd, scene.machine.readLink);
    const there = !remote.text.includes(UNKNOWN) && scene.machine.kind?.(folder) === "folder";
    return there ? foreignRepository({ ...scene, cwd: folder }) : undefined;
  },
});

/** Other repositories in what `git add` takes: from then on `git status` follows their settings. */
export const addedRepositories = ({ operands, options }: Arguments): Effect => ({
  kind: "check",
  objection: (scene) => {
    const { cwd, machine } = scene;
    const has = (...names: readonly string[]) => options.some(({ name }) => names.includes(name));
    const here = realPath(cwd, "/", machine.readLink);
    const top = nearestRepository(here, machine.kind)?.folder;
    const pathspecs = operands.map(({ text }) => text);
    const isFile = (path: string) => machine.kind?.(realPath(path, cwd, machine.readLink)) === "file";
    const all = has("-A", "--all", "--no-ignore-removal");
    if (
      top === undefined ||
      (pathspecs.length === 0 && !all) ||
      has("-u", "--update", "-p", "--patch") ||
      (pathspecs.length > 0 && pathspecs.every(isFile))
    )
      return undefined;
    const others = has("-f", "--force") ? "ignored" : "untracked";
    const names = machine.gitTracked?.(pathspecs.length === 0 ? top : here, { pathspecs, others }) ?? [];
    return names
      .filter((name) => name.endsWith("/"))
      .map((name) => foreignRepository({ ...scene, cwd: join(top, name) }))
      .find((found) => found !== undefined);
  },
});

function foreignRepository({ cwd, workspaceRoot, machine }: CommandScene): Doubt | undefined {
  if (machine.kind === undefined) return undefined;
  const root = realPath(workspaceRoot, "/", machine.readLink);
  const here = realPath(cwd, "/", machine.readLink);
  const found = nearestRepository(here, machine.kind);
  if (found === undefined) return undefined;
  const ask = (because: string) => doubt("git-repository", because);
  if (found.bare) return ask(`${found.folder} looks like a bare repository, whose settings can run programs`);
  const own = here === root ? found : nearestRepository(root, machine.kind);
  const mine = own === undefined || own.bare ? undefined : own.folder;
  if (mine === found.folder) return undefined;
  const folder = gitFolder(found.folder, machine);
  if (folder === undefined) return ask(`${found.folder}/.git cannot be read, and git would use its settings`);
  if (mine !== undefined && gitFolders(mine, machine).some((own) => isBelow(folder, own))) return undefined;
  return folder === join(found.folder, ".git") && isPlain(folder, machine)
    ? undefined
    : ask(`${found.folder} is a separate repository, whose settings or hooks can run programs`);
}

/** The real repository of a work tree: its `.git` folder, or the target of a file or link with that name. */
function gitFolder(folder: string, machine: Machine): string | undefined {
  const entry = realPath(join(folder, ".git"), "/", machine.readLink);
  const kind = machine.kind?.(entry);
  if (kind === "folder") return entry;
  const target = /^gitdir: (.+)$/m.exec((kind === "file" ? machine.readText?.(entry) : undefined) ?? "")?.[1]?.trim();
  return target === undefined ? undefined : realPath(resolve(dirname(entry), target), "/", machine.readLink);
}

/** A work tree's repository, and the one its worktree belongs to. Submodules and worktrees are inside them. */
export function gitFolders(top: string, machine: Machine): readonly string[] {
  const own = gitFolder(top, machine);
  if (own === undefined) return [];
  const common = machine.readText?.(join(own, "commondir"))?.trim();
  return common === undefined || common === "" ? [own] : [own, realPath(resolve(own, common), "/", machine.readLink)];
}

/** A repository as created by `git init` or `git clone`: no hooks, and no settings that run anything. */
function isPlain(folder: string, machine: Machine): boolean {
  const settings = machine.readText?.(join(folder, "config"));
  return (
    settings !== undefined &&
    settings.split("\n").every((line) => PLAIN_LINE.test(line)) &&
    ["config.worktree", "commondir"].every((name) => machine.kind?.(join(folder, name)) === undefined) &&
    HOOKS.split(" ").every((name) => machine.kind?.(join(folder, "hooks", name)) === undefined)
  );
}

const RUNS_SOMETHING =
  /^(?:alias\.|core\.(?:pager|editor|fsmonitor|hookspath|sshcommand|gitproxy|askpass|attributesfile|excludesfile|worktree|alternaterefscommand)|credential\.|diff\.(?:external|.*\.(?:command|textconv))|filter\.|merge\..*\.driver|mergetool\.|difftool\.|gpg\.|pager\.|sequence\.editor|include\.|includeif\.|url\.|remote\..*\.(?:url|pushurl|proxy|uploadpack|receivepack|vcs)|http\.|https\.|protocol\.|ssh\.|sendemail\.|uploadpack\.|receive\.|init\.templatedir|submodule\.|interactive\.difffilter|browser\.|man\.|web\.|instaweb\.|trailer\.|tar\.|extensions\.|safe\.)/i;

/** Settings that only change how git prints or names things. */
const HARMLESS =
  /^(?:color\.[\w.]+|core\.(?:quotepath|abbrev|autocrlf|ignorecase|commentchar|precomposeunicode|longpaths)|advice\.\w+|user\.(?:name|email)|author\.(?:name|email)|committer\.(?:name|email)|diff\.(?:algorithm|renames|context|mnemonicprefix|noprefix|colormoved|renamelimit)|log\.\w+|init\.defaultbranch|commit\.gpgsign|tag\.(?:gpgsign|sort)|merge\.conflictstyle|rerere\.enabled|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|rebase\.(?:autosquash|autostash)|column\.\w+|status\.\w+|branch\.sort|grep\.(?:linenumber|patterntype)|blame\.\w+|gc\.auto)$/i;

/** `git -c key=value`: harmless keys are allowed; pagers only if they disable paging. */
export function settingEffects(setting: Word): readonly Effect[] {
  const [key = "", ...rest] = setting.text.split("=");
  const value = rest.join("=");
  if (/^(?:core\.pager|pager\.\w+)$/i.test(key) && /^(?:cat|false|)$/.test(value) && rest.length > 0) return [];
  return HARMLESS.test(key) ? [] : [doubt("git-option", `the setting ${key} can change what git runs or connects to`)];
}

/** `git config`: reading is allowed, `user.name` and similar need approval, settings that run something are denied. */
export function configEffects(given: Arguments): readonly Effect[] {
  const has = (...names: readonly string[]) => given.options.some(({ name }) => names.includes(name));
  const [first = word("")] = given.operands;
  const verb = ["get", "list", "set", "unset", "edit", "rename-section", "remove-section"].includes(first.text)
    ? first.text
    : undefined;
  const key = verb === undefined ? first.text : (given.operands[1]?.text ?? "");
  const reads =
    verb === undefined
      ? has("--get", "--get-all", "--get-regexp", "--list", "-l") ||
        (given.operands.length < 2 && !has("--unset", "--unset-all", "-e", "--edit"))
      : verb === "get" || verb === "list";
  if (reads) return [];
  if (has("--global", "--system")) return [{ kind: "write", word: word("~/.gitconfig") }];
  const runs = RUNS_SOMETHING.test(key);
  return [
    { kind: "repository" },
    doubt(
      "git-setting",
      runs ? `the setting ${key} makes git run or connect to something` : "changes the repository's settings",
      runs ? "deny" : "ask",
    ),
  ];
}
