import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { runGit, runGitBriefly } from "../../lib/process/run-git.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";

/** A setting of git. Section and key are lower case. */
export interface GitSetting {
  readonly name: string;
  readonly value: string;
}

const settingsIn = (listed: Buffer): readonly GitSetting[] =>
  listed
    .toString("utf8")
    .split("\0")
    .filter((record) => record !== "")
    .map((record) => {
      const [name = "", ...value] = record.split("\n");
      return { name, value: value.join("\n") };
    });

/** The user's own settings; none if git cannot read them. */
export async function globalSettings(home: string, environment: NodeJS.ProcessEnv): Promise<readonly GitSetting[]> {
  try {
    const from = { ...environment, HOME: home };
    return settingsIn((await runGit(["config", "--global", "--includes", "--list", "-z"], { cwd: "/", from })).stdout);
  } catch {
    // Git inside says itself that it has no name.
    return [];
  }
}

/** The settings in a file, without those that it includes; undefined if git cannot read them. */
export async function settingsOf(content: Buffer): Promise<readonly GitSetting[] | undefined> {
  try {
    const args = ["config", "--file", "-", "--no-includes", "--list", "-z"];
    return settingsIn((await runGit(args, { cwd: "/", input: content })).stdout);
  } catch {
    return undefined;
  }
}

/** A file with these settings. */
export function settingsFile(settings: readonly GitSetting[]): string {
  let last = "";
  const lines = settings.map(({ name, value }) => {
    const [section = "", ...rest] = name.split(".");
    const key = rest.at(-1) ?? "";
    const part = rest.slice(0, -1).join(".");
    const heading = `[${section}${part === "" ? "" : ` ${quoted(part)}`}]\n`;
    const line = `${heading === last ? "" : heading}\t${key} = ${quoted(value)}\n`;
    last = heading;
    return line;
  });
  return lines.join("");
}

const quoted = (text: string) =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;

/** Settings of a user that neither run a program nor hold a secret. */
export const isHarmlessForUser = ({ name }: GitSetting) =>
  /^(?:user\.(?:name|email)|init\.defaultbranch|core\.(?:autocrlf|eol|quotepath|whitespace)|color\..*|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|merge\.(?:conflictstyle|ff)|diff\.(?:algorithm|renames|colormoved|mnemonicprefix)|rebase\.(?:autosquash|autostash|updaterefs)|commit\.(?:verbose|cleanup)|fetch\.prune|branch\.(?:autosetuprebase|sort)|tag\.sort|log\.date|rerere\.enabled|safe\.directory|advice\..*)$/.test(
    name,
  );

/** Settings of a repository that run no program, whatever their value is. */
const REPOSITORY =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|safecrlf|sparsecheckout(?:cone)?|untrackedcache|preloadindex|longpaths|abbrev|compression)|extensions\.\w+|remote\..*\.(?:fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|skipdefaultupdate|skipfetchall|gh-resolved)|remote\.pushdefault|branch\..*\.(?:merge|rebase|description)|submodule\.(?:active|recurse)|submodule\..*\.(?:active|path|branch|ignore|shallow)|gc\.(?!recentobjectshook$)\w+|pack\.\w+|index\.\w+|feature\.\w+|status\..*|lfs\.repositoryformatversion)$/;
/** Settings of a repository that name another one. Git can be told to start a program by a name with `::`. */
const NAMES_REPOSITORY = /^(?:remote\..*\.(?:url|pushurl)|branch\..*\.(?:remote|pushremote)|submodule\..*\.url)$/;
const LFS: Readonly<Record<string, string>> = {
  "filter.lfs.clean": "git-lfs clean -- %f",
  "filter.lfs.smudge": "git-lfs smudge -- %f",
  "filter.lfs.process": "git-lfs filter-process",
  "filter.lfs.required": "true",
};

/** Whether git runs nothing because of a repository's setting. */
export const isHarmlessInRepository = (setting: GitSetting) =>
  isHarmlessForUser(setting) ||
  REPOSITORY.test(setting.name) ||
  LFS[setting.name] === setting.value ||
  (NAMES_REPOSITORY.test(setting.name) && !/^-|::/.test(setting.value));

/** Whether reading the settings can bring anything up. */
const MAY_NAME =
  /\[\s*(?:include|filter|diff|merge|alias|pager|credential|gpg|trailer|difftool|mergetool|sequence)|hookspath|fsmonitor|editor|pager|command|askpass|proxy/i;
const INCLUDES = /^include(?:if\..*)?\.path$/;
const RUNS =
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy)|sequence\.editor|pager\..*|diff\.external|diff\..*\.(?:command|textconv)|interactive\.difffilter|merge\..*\.driver|(?:merge|diff)tool\..*\.(?:cmd|path)|filter\..*\.(?:clean|smudge|process)|alias\..*|credential\..*helper|gpg\..*program|trailer\..*\.(?:command|cmd))$/;

interface SettingsPlace {
  readonly workTrees: readonly string[];
  readonly home: string;
  /** The user's own settings (`userSettings`). */
  readonly users: readonly NamedSetting[];
}

/**
 * Files and folders that the settings in a repository's folders, or the user's own, name as a program, as hooks or as
 * more settings. Whoever writes one decides what git runs. The repository need not be whole: only the files are read.
 */
export function namedBySettings(folders: readonly string[], place: SettingsPlace): readonly string[] {
  const files = folders.flatMap((folder) => ["config", "config.worktree"].map((name) => join(folder, name)));
  const settings = files.flatMap((file) => settingsFrom(file, place.home, new Set()));
  return [...new Set([...settings, ...place.users].flatMap((each) => placesIn(each, place)))];
}

/** The settings for all repositories of a user; none if git cannot read them. */
export function userSettings(home: string): readonly NamedSetting[] {
  const files = ["/etc/gitconfig", join(home, ".gitconfig"), join(home, ".config/git/config")];
  try {
    return files.flatMap((file) => settingsFrom(file, home, new Set()));
  } catch (error) {
    if (!isUserError(error)) throw error;
    return [];
  }
}

/** A setting, and where it is written. */
export interface NamedSetting extends GitSetting {
  readonly file: string;
}

const GIT_MS = 10_000;
const MAX_INCLUDES = 50;

/** The settings in a file and in those that it includes, whatever the condition. */
function settingsFrom(file: string, home: string, seen: Set<string>): readonly NamedSetting[] {
  if (seen.has(file) || seen.size === MAX_INCLUDES || !mayName(file)) return [];
  seen.add(file);
  const listed = runGitBriefly(["config", "--file", file, "--no-includes", "--list", "-z"], { cwd: "/" }, GIT_MS);
  if (listed === undefined) throw unreadable(file);
  const settings = settingsIn(listed).map((setting) => ({ ...setting, file }));
  const more = settings.filter(({ name }) => INCLUDES.test(name));
  return [
    ...settings,
    ...more.flatMap((each) => settingsFrom(resolve(dirname(file), whole(each.value, home)), home, seen)),
  ];
}

const mayName = (file: string) => isFile(file) && MAY_NAME.test(readFileSync(file, "utf8"));

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Git cannot read it either.
    return false;
  }
}

/** Git would run nothing there, but we cannot know why it failed. */
function unreadable(file: string): UserError {
  return new UserError(`git cannot read the settings in ${file}, so what they run cannot be protected`, {
    where: file,
    fix: `to look: git config --file ${shQuote(file)} --list`,
    exitCode: EXIT.refused,
  });
}

const whole = (path: string, home: string) => (path.startsWith("~/") ? home + path.slice(1) : path);

function placesIn({ name, value, file }: NamedSetting, { workTrees, home }: SettingsPlace): readonly string[] {
  if (INCLUDES.test(name)) return [resolve(dirname(file), whole(value, home))];
  const inTrees = (path: string) => workTrees.map((tree) => resolve(tree, whole(path, home)));
  if (name === "core.hookspath") return inTrees(value);
  if (!RUNS.test(name)) return [];
  const words = value.split(/[\s"'!;|&()<>]+/).filter((word) => word !== "" && !word.startsWith("-"));
  return words.flatMap(inTrees).filter(isFile);
}
