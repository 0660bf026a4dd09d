import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import * as z from "zod";
import { makeFolder } from "../lib/files/make-folder.ts";
import { MAX_SETTINGS, readBounded, textIfThere } from "../lib/files/read-file.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { type GitCall, gitNames, runGit } from "../lib/process/run-git.ts";

/** Our own git folder for someone else's work tree. It reads their objects and writes only its own. */
export interface Shadow {
  readonly call: GitCall;
  readonly folder: string;
  /** The part of the work tree to look at: empty, or a path with a trailing slash. */
  readonly prefix: string;
  readonly repository: Repository | undefined;
  /** What its index held when it was opened; undefined for one that was there before. */
  readonly first?: FirstIndex | undefined;
}

interface FirstIndex {
  /** Paths of submodules, from the top of the work tree. */
  readonly modules: readonly string[];
  readonly hasAttributes: boolean;
}

/** Runs git on this folder and work tree, without the user's or the system's git config. */
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
 * Opens a shadow of `root` in `folder`. Copies the index, ignore list, and settings once, now, so that later changes to
 * the repository by an agent don't affect what we see. For a new repository, copies nothing.
 */
export async function openShadow(
  root: string,
  folder: string,
  { isNew = false, signal }: { readonly isNew?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<Shadow> {
  const existing = keptShadow(folder);
  if (existing !== undefined) return existing;
  const repository = isNew ? undefined : await readRepository(root, signal);
  makeFolder(dirname(folder));
  // Without its record it was left half made by a process that was killed.
  rmSync(folder, { recursive: true, force: true });
  if (repository?.settings.some((setting) => /^core\.filemode=/i.test(setting)) === true)
    makeBare(folder, repository.format);
  else await initBare(folder, root, repository, signal);
  const place = { top: repository?.top ?? root, prefix: repository?.prefix ?? "" };
  const call = privateGit(folder, place.top);
  const taken = withUserIgnores(repository?.settings ?? [], { top: place.top, folder });
  const settings = ["core.bare=false", "core.quotepath=false", ...taken];
  appendFileSync(join(folder, "config"), settings.map(settingLine).join(""));
  if (repository !== undefined) takeOver(repository, folder);
  const first = await readIndex(folder, { ...call, signal });
  writeFileSync(join(folder, PLACE), JSON.stringify(place));
  return { call, folder, prefix: place.prefix, repository, first };
}

/** What `git init` makes, where the repository says already what it would try out on the disk. */
function makeBare(folder: string, format: string): void {
  for (const name of ["objects", "refs"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/main\n");
  const [version, extensions] = format === "sha1" ? [0, ""] : [1, `[extensions]\n\tobjectformat = ${format}\n`];
  writeFileSync(join(folder, "config"), `[core]\n\trepositoryformatversion = ${version}\n${extensions}`);
}

async function initBare(
  folder: string,
  root: string,
  repository: Repository | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const format = repository === undefined ? [] : [`--object-format=${repository.format}`];
  await runGit(["init", "--quiet", "--bare", "--template=", ...format, folder], {
    cwd: dirname(folder),
    workspace: root,
    signal,
  });
}

/** Records the work tree of a shadow, for a process that reads it after its creator was killed. */
const PLACE = "signalbox-place.json";

/** The existing shadow in `folder`, or undefined if there is none. */
export function keptShadow(folder: string): Shadow | undefined {
  const text = textIfThere(join(folder, PLACE));
  if (text === undefined) return undefined;
  const { top, prefix } = Place.parse(parseJson(text));
  return { call: privateGit(folder, top), folder, prefix, repository: undefined };
}

const Place = z.strictObject({ top: z.string(), prefix: z.string() });

/** Formats `core.name=value` as a config file entry. */
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
  copySharedIndex(dirname(repository.index), folder);
  // Git assumes that files older than the index are unchanged. A newer timestamp on the copy would hide concurrent
  // changes.
  utimesSync(join(folder, "index"), Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000));
}

/** The other half of an index that git has split (`core.splitIndex`). */
function copySharedIndex(from: string, folder: string): void {
  for (const name of readdirSync(from).filter((each) => each.startsWith("sharedindex.")))
    copyFileSync(join(from, name), join(folder, name));
}

/** Includes files that git was told to ignore with `assume-unchanged`, and says what else the next step looks for. */
async function readIndex(folder: string, call: GitCall): Promise<FirstIndex> {
  const isThere = existsSync(join(folder, "index"));
  const entries = isThere ? await gitNames(["ls-files", "-v", "--stage", "-z"], call) : [];
  const named = (wanted: RegExp) =>
    entries.filter((entry) => wanted.test(entry)).map((entry) => entry.slice(entry.indexOf("\t") + 1));
  const hidden = named(/^[a-z] /);
  if (hidden.length > 0)
    await runGit(["update-index", "--no-assume-unchanged", "-z", "--stdin"], { ...call, input: hidden.join("\0") });
  return { modules: named(/^. 160000 /), hasAttributes: named(/[\t/]\.gitattributes$/).length > 0 };
}

/** The git repository that contains a folder. Reading it changes nothing there. */
interface Repository {
  readonly top: string;
  /** The folder's path in the work tree: empty, or a path with a trailing slash. */
  readonly prefix: string;
  readonly objects: string;
  readonly index: string;
  readonly exclude: string;
  readonly shallow: string;
  readonly format: string;
  /** Settings that affect how file content becomes a blob. */
  readonly settings: readonly string[];
  /** Its settings make git store content in another form than the disk has it. */
  readonly convertsContent: boolean;
}

/** The repository of a folder, or undefined if git finds none or does not trust it. */
export async function readRepository(folder: string, signal?: AbortSignal): Promise<Repository | undefined> {
  const call: GitCall = { cwd: folder, signal };
  const paths = ["objects", "index", "info/exclude", "shallow"].flatMap((name) => ["--git-path", name]);
  const options = ["--path-format=absolute", "--is-inside-work-tree", "--show-toplevel", "--show-prefix", ...paths];
  // Beside the other, which says whether it counts.
  const settings = contentSettings(call);
  settings.catch(() => undefined);
  const { code, stdout } = await runGit(["rev-parse", ...options, "--show-object-format"], { ...call, accept: [128] });
  const [inside, top = "", prefix = "", objects = "", index = "", exclude = "", shallow = "", format = ""] = stdout
    .toString("utf8")
    .split("\n");
  if (code !== 0 || inside !== "true" || format === "") return undefined;
  const configured = await settings;
  return {
    top,
    prefix,
    objects,
    index,
    exclude,
    shallow,
    format,
    settings: configured.filter((setting) => setting.startsWith("core.")),
    convertsContent: configured.some((setting) => CONVERSION.test(setting)),
  };
}

const CONTENT =
  "^(core\\.(autocrlf|eol|safecrlf|filemode|ignorecase|symlinks|precomposeunicode|excludesfile)|filter\\..*)$";

const CONVERSION = /^(?:filter\.|core\.autocrlf=(?:true|input)|core\.eol=)/i;

/** Settings as `name=value`. Filters are programs that the repository chooses, so they must not be taken over. */
async function contentSettings(call: GitCall): Promise<string[]> {
  const { stdout } = await runGit(["config", "-z", "--get-regexp", CONTENT], { ...call, accept: [1] });
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => entry.replace("\n", "="));
}

const SETTING = "core.excludesfile=";

/**
 * Copies the user's own ignore list into `folder`, and returns the settings of git (`core.name=value`) with the copy in
 * its place. Files that it names must not look new because the list changes later.
 */
function withUserIgnores(settings: readonly string[], { top, folder }: { top: string; folder: string }) {
  const isIt = (setting: string) => setting.toLowerCase().startsWith(SETTING);
  const list = listPath(settings.findLast(isIt)?.slice(SETTING.length), top);
  if (list === undefined) return settings;
  const copy = join(folder, "user-ignores");
  writeFileSync(copy, contentOf(list), { mode: 0o600 });
  return [...settings.filter((setting) => !isIt(setting)), `${SETTING}${copy}`];
}

/** Undefined where only git knows what is meant. */
function listPath(value: string | undefined, top: string): string | undefined {
  if (value === undefined) return join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "git/ignore");
  if (value.startsWith("~/")) return join(homedir(), value.slice(2));
  return value === "" || /^(?:~|%\(prefix\))/.test(value) ? undefined : resolve(top, value);
}

function contentOf(list: string): Buffer {
  try {
    return readBounded(list, MAX_SETTINGS).bytes;
  } catch {
    // Git ignores nothing either where it cannot read the list.
    return Buffer.alloc(0);
  }
}
