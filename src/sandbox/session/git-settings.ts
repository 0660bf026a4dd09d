import { existsSync, lstatSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { isWild } from "../../lib/path/glob.ts";
import { isInside } from "../../lib/path/inside.ts";
import { readIfThere } from "../../lib/files/read-file.ts";
import { runGit, runGitBriefly } from "../../lib/process/run-git.ts";

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

/** The settings in one file, without those that it includes; undefined if git cannot read it. */
export async function fileSettings(file: string): Promise<readonly GitSetting[] | undefined> {
  try {
    const { stdout } = await runGit(["config", "--file", file, "--no-includes", "--list", "-z"], { cwd: "/" });
    return settingsIn(stdout);
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
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|safecrlf|sparsecheckout(?:cone)?|untrackedcache|preloadindex|longpaths|abbrev|compression)|extensions\.\w+|remote\..*\.(?:fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|skipdefaultupdate|skipfetchall|gh-resolved)|remote\.pushdefault|branch\..*\.(?:merge|rebase|description)|submodule\.(?:active|recurse)|submodule\..*\.(?:active|path|branch|ignore|shallow)|gc\.\w+|pack\.\w+|index\.\w+|feature\.\w+|status\..*|lfs\.repositoryformatversion)$/;
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

/**
 * Files and folders of a work tree that the repository's settings name as a program, as hooks or as more settings.
 * Whoever writes one decides what git runs.
 */
export function namedBySettings(entry: string): readonly string[] {
  const workTree = dirname(entry);
  const folder = lstatSync(entry, { throwIfNoEntry: false })?.isDirectory() === true ? entry : undefined;
  const text = folder === undefined ? "" : (readIfThere(join(folder, "config"))?.toString("utf8") ?? "");
  if (folder !== undefined && !MAY_NAME.test(text) && !existsSync(join(folder, "config.worktree"))) return [];
  if (folder === undefined && !existsSync(entry)) return [];
  const listed = runGitBriefly(["config", "--includes", "--list", "--show-origin", "-z"], { cwd: workTree }, GIT_MS);
  const records = (listed?.toString("utf8") ?? "").split("\0");
  const named = records.flatMap((origin, at) => {
    if (at % 2 !== 0 || !origin.startsWith("file:")) return [];
    const file = resolve(workTree, origin.slice("file:".length));
    const [setting] = settingsIn(Buffer.from(records[at + 1] ?? ""));
    return setting === undefined ? [] : [file, ...placesIn(setting, { file, workTree })];
  });
  const isOwn = (path: string) => isInside(path, workTree) && path !== workTree && !isInside(path, entry);
  return [...new Set(named)].filter((path) => isOwn(path) && !isWild(path));
}

const GIT_MS = 2000;

function placesIn(
  { name, value }: GitSetting,
  { file, workTree }: { readonly file: string; readonly workTree: string },
): readonly string[] {
  if (INCLUDES.test(name)) return [resolve(dirname(file), value)];
  if (name === "core.hookspath") return [resolve(workTree, value)];
  if (!RUNS.test(name)) return [];
  const words = value.split(/[\s"'!;|&()<>]+/).filter((word) => word !== "" && !word.startsWith("-"));
  return words
    .map((word) => (isAbsolute(word) ? word : join(workTree, word)))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
