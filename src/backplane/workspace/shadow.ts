import { appendFileSync, copyFileSync, existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { type GitCall, runGit } from "../../lib/run-git.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { readIfThere } from "../../lib/read-if-there.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** A git folder of our own over somebody's work tree: it reads their objects and writes only its own. */
export interface Shadow {
  /** How to run git on it. */
  readonly call: GitCall;
  readonly folder: string;
  /** The part of the work tree that is looked at: empty, or a path with a slash at its end. */
  readonly prefix: string;
  readonly repository: Repository | undefined;
}

/** Git without the person's and the system's settings, on that folder and work tree. */
export function privateGit(folder: string, workTree: string): GitCall {
  return {
    cwd: workTree,
    env: {
      GIT_DIR: folder,
      GIT_WORK_TREE: workTree,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_NO_LAZY_FETCH: "1",
    },
  };
}

/**
 * Opens a shadow of `root` in `folder`. Index, ignore list and settings are taken over once, now:
 * what an agent later does to the repository's own does not change what we see. Nothing is taken over of a new one.
 */
export async function openShadow(root: string, folder: string, { isNew = false } = {}): Promise<Shadow> {
  const kept = keptShadow(folder);
  if (kept !== undefined) return kept;
  const repository = isNew ? undefined : await readRepository(root);
  makeFolder(dirname(folder));
  const format = repository === undefined ? [] : [`--object-format=${repository.format}`];
  await runGit(["init", "--quiet", "--bare", "--template=", ...format, folder], {
    cwd: dirname(folder),
    workspace: root,
  });
  const place = { top: repository?.top ?? root, prefix: repository?.prefix ?? "" };
  const call = privateGit(folder, place.top);
  const settings = ["core.bare=false", "core.quotepath=false", ...(repository?.settings ?? [])];
  appendFileSync(join(folder, "config"), settings.map(settingLine).join(""));
  if (repository !== undefined) takeOver(repository, folder);
  await seeHiddenChanges(call);
  writeFileSync(join(folder, PLACE), JSON.stringify(place));
  return { call, folder, prefix: place.prefix, repository };
}

/** What a shadow stands over, for a process that looks at it after the one that made it was killed. */
const PLACE = "signalbox-place.json";

/** The shadow in `folder`, as it was when it was made; undefined when there is none. */
export function keptShadow(folder: string): Shadow | undefined {
  const text = readIfThere(join(folder, PLACE))?.toString("utf8");
  if (text === undefined) return undefined;
  const { top, prefix } = Place.parse(parseJson(text));
  return { call: privateGit(folder, top), folder, prefix, repository: undefined };
}

const Place = z.strictObject({ top: z.string(), prefix: z.string() });

/** `core.name=value` as a line of a config file. */
function settingLine(setting: string): string {
  const [, name = "", value = ""] = /^core\.(\w+)=(.*)$/s.exec(setting) ?? [];
  return `[core]\n\t${name} = "${value.replaceAll(/["\\]/g, (character) => `\\${character}`).replaceAll("\n", "\\n")}"\n`;
}

function takeOver(repository: Repository, folder: string): void {
  mkdirSync(join(folder, "objects/info"), { recursive: true });
  writeFileSync(join(folder, "objects/info/alternates"), `${repository.objects}\n`);
  mkdirSync(join(folder, "info"), { recursive: true });
  if (existsSync(repository.exclude)) copyFileSync(repository.exclude, join(folder, "info/exclude"));
  if (existsSync(repository.shallow)) copyFileSync(repository.shallow, join(folder, "shallow"));
  if (!existsSync(repository.index)) return;
  const { atimeMs, mtimeMs } = statSync(repository.index);
  copyFileSync(repository.index, join(folder, "index"));
  // Git trusts files that are older than the index: a copy that looks younger would hide a change of the same moment.
  utimesSync(join(folder, "index"), Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000));
}

/** Files that someone told git not to look at are looked at all the same. */
async function seeHiddenChanges(call: GitCall): Promise<void> {
  const { stdout } = await runGit(["ls-files", "-v", "-z"], call);
  const hidden = stdout
    .toString("utf8")
    .split("\0")
    .filter((entry) => /^[a-z] /.test(entry))
    .map((entry) => entry.slice(2));
  if (hidden.length === 0) return;
  await runGit(["update-index", "--no-assume-unchanged", "-z", "--stdin"], { ...call, input: hidden.join("\0") });
}

/** What is known about the git repository that a folder stands in. Reading it changes nothing there. */
interface Repository {
  readonly top: string;
  /** Where the folder lies in the work tree: empty, or a path with a slash at its end. */
  readonly prefix: string;
  readonly objects: string;
  readonly index: string;
  readonly exclude: string;
  readonly shallow: string;
  readonly format: string;
  /** Settings that decide how file content becomes a blob. */
  readonly settings: readonly string[];
}

/** Repository and work tree of a folder, or undefined when git knows none there, or does not trust it. */
export async function readRepository(folder: string): Promise<Repository | undefined> {
  const call: GitCall = { cwd: folder };
  const paths = ["objects", "index", "info/exclude", "shallow"].flatMap((name) => ["--git-path", name]);
  const asked = ["--path-format=absolute", "--is-inside-work-tree", "--show-toplevel", "--show-prefix", ...paths];
  const { code, stdout } = await runGit(["rev-parse", ...asked, "--show-object-format"], { ...call, accept: [128] });
  const [inside, top = "", prefix = "", objects = "", index = "", exclude = "", shallow = "", format = ""] = stdout
    .toString("utf8")
    .split("\n");
  if (code !== 0 || inside !== "true" || format === "") return undefined;
  return {
    top,
    prefix,
    objects,
    index,
    exclude,
    shallow,
    format,
    settings: await blobSettings(call),
  };
}

const CONTENT = "^core\\.(autocrlf|eol|safecrlf|filemode|ignorecase|symlinks|precomposeunicode|excludesfile)$";

/** As `name=value`. Filters are left out on purpose: they are programs of the repository's choosing. */
async function blobSettings(call: GitCall): Promise<string[]> {
  const { stdout } = await runGit(["config", "-z", "--get-regexp", CONTENT], { ...call, accept: [1] });
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => entry.replace("\n", "="));
}
