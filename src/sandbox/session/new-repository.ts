import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../lib/path/inside.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { type GitSetting, isHarmlessInRepository, settingsFile, settingsOf } from "./git-settings.ts";
import { type HeldFolder, holdFolder, parentOf, withParent } from "./held-folder.ts";

/** All paths as bytes (held-folder.ts). */
export interface RepositoryPlaces {
  readonly since: string;
  /** Where commands could write. */
  readonly writable: readonly string[];
  /** Repositories that were protected. */
  readonly repositories: readonly string[];
  /** What was found before the session, with the device and inode of each. */
  readonly there: ReadonlyMap<string, string>;
  /** Whether `there` is all that was there. */
  readonly isListed: boolean;
  readonly kept: string;
}

/** A folder from which git reads settings and hooks. */
export interface Part {
  readonly path: string;
  /** The `.git`, or the folder, by which it was found. */
  readonly foundAt: string;
}

export const identity = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }) => `${dev}:${ino}`;

/** As git finds them for a `.git` or for a folder that looks like one, as far as commands could write there. */
export function partsOf(
  path: string,
  isEntry: boolean,
  places: { readonly writable: readonly string[]; readonly repositories: readonly string[] },
): readonly Part[] {
  const own = isEntry ? targetOf(path) : path;
  if (own === undefined) return [];
  const common = commonOf(own);
  const isWritable = (folder: string) =>
    [...places.writable, ...places.repositories].some((each) => isInside(folder, each));
  return [...new Set([own, common])]
    .filter((folder) => !places.repositories.includes(folder) && isWritable(folder))
    .map((folder) => ({ path: folder, foundAt: path }));
}

/** Where git goes for a `.git`; undefined if it goes nowhere. */
function targetOf(path: string): string | undefined {
  return withParent(path, (folder, name) => {
    const stat = folder.stat(name);
    if (stat?.isDirectory() === true) return path;
    if (stat?.isSymbolicLink() === true) {
      const real = realPath(path);
      if (real === undefined) return undefined;
      using inner = holdFolder(real);
      if (inner !== undefined) return real;
    }
    const text = readThrough(folder.at(name));
    const named = text?.startsWith("gitdir: ") === true ? text.slice("gitdir: ".length) : undefined;
    return named === undefined ? undefined : realPath(resolveBytes(parentOf(path), named));
  });
}

function commonOf(own: string): string {
  using folder = holdFolder(own);
  const named = folder === undefined ? undefined : readThrough(folder.at("commondir"));
  return named === undefined ? own : (realPath(resolveBytes(own, named)) ?? own);
}

const resolveBytes = (folder: string, named: string) => (named.startsWith("/") ? named : `${folder}/${named}`);

/** Git reads no more of a `.git` file. */
const MAX_POINTER = 1024 * 1024;

/** A line as git reads it, which follows links: all but the ends of lines, up to a zero. */
function readThrough(path: Buffer): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(file);
      if (!fstatSync(file).isFile() || size > MAX_POINTER) return undefined;
      const content = Buffer.alloc(size);
      const text = content.subarray(0, readSync(file, content)).toString("latin1");
      return text.replace(/[\r\n]+$/, "").replace(/\0.*$/s, "");
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Undefined if it leads nowhere; git cannot use it then either. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(Buffer.from(path, "latin1"), "latin1");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

const isSince = (time: bigint | undefined, since: string) => time !== undefined && time >= BigInt(since);

interface Disarmed {
  readonly moved: readonly string[];
  readonly isArmed: boolean;
}

/** Moves away the settings and hooks that would run something and may be new, and leaves the harmless settings. */
export async function disarm(part: Part, places: RepositoryPlaces): Promise<Disarmed> {
  using folder = holdFolder(part.path);
  if (folder === undefined) throw new Error("it was replaced meanwhile");
  const { since, kept, isListed } = places;
  const isChanged = isSince(folder.stat()?.ctimeNs, since);
  // One that nothing led to before may be older than the session: an earlier one can have left it.
  const isNewPlace = !wasThere(folder, part, places) && (isListed || isChanged || isNewAt(part.foundAt, since));
  const isNewHere = (name: string) => isNewPlace || isSince(folder.stat(name)?.ctimeNs, since);
  if (isNewPlace || isChanged) folder.regain();
  const done: Disarmed[] = [];
  for (const name of ["config", "config.worktree"])
    if (isNewHere(name)) done.push(await disarmFile(folder, name, kept));
  const hooks = newHooks(folder, isNewHere("hooks"), since);
  if (hooks.length > 0) done.push({ moved: hooks, isArmed: !folder.moveAway("hooks", kept) });
  return { moved: done.flatMap(({ moved }) => moved), isArmed: done.some(({ isArmed }) => isArmed) };
}

async function disarmFile(folder: HeldFolder, name: string, kept: string): Promise<Disarmed> {
  const risk = await riskIn(folder, name);
  if (risk === undefined) return { moved: [], isArmed: false };
  const isMoved = folder.moveAway(name, kept);
  if (isMoved && name === "config") putBack(folder, risk.harmless);
  return { moved: risk.names, isArmed: !isMoved || (await riskIn(folder, name)) !== undefined };
}

/** Whether the very folder was there before the session. */
function wasThere(folder: HeldFolder, { path }: Part, { there }: RepositoryPlaces): boolean {
  const stat = folder.stat();
  return stat !== undefined && there.get(path) === identity(stat);
}

const isNewAt = (path: string, since: string) =>
  isSince(
    withParent(path, (folder, name) => folder.stat(name)?.ctimeNs),
    since,
  );

/** Another session may be faster. What it left is looked at after that. */
function putBack(folder: HeldFolder, settings: readonly GitSetting[]): void {
  try {
    writeFileSync(folder.at("config"), settingsFile(settings), { flag: "wx", mode: 0o644 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

const MAX_SETTINGS = 1024 * 1024;

interface Risk {
  readonly names: readonly string[];
  readonly harmless: readonly GitSetting[];
}

/** Which settings in a file run something; undefined if none does. */
async function riskIn(folder: HeldFolder, name: string): Promise<Risk | undefined> {
  if (folder.stat(name) === undefined) return undefined;
  const content = folder.read(name, MAX_SETTINGS);
  const settings = content === undefined ? undefined : await settingsOf(content);
  if (settings === undefined) return { names: [name], harmless: [] };
  const risky = settings.filter((setting) => !isHarmlessInRepository(setting));
  if (risky.length === 0) return undefined;
  return { names: [...new Set(risky.map((each) => each.name))], harmless: settings.filter(isHarmlessInRepository) };
}

function newHooks(folder: HeldFolder, isNew: boolean, since: string): readonly string[] {
  const stat = folder.stat("hooks");
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return isNew ? ["hooks/(no folder)"] : [];
  using hooks = folder.open("hooks");
  const names = (hooks?.names() ?? []).map(({ name }) => name).filter((name) => !name.endsWith(".sample"));
  return names.filter((name) => isNew || isSince(hooks?.stat(name)?.ctimeNs, since)).map((name) => `hooks/${name}`);
}

const MAX_PLAN = 1024 * 1024;

/** What `git rebase --continue` would run, if it is new. */
export function plannedProgram(path: string, since: string): readonly string[] {
  const plan = join(path, "rebase-merge/git-rebase-todo");
  const runs = withParent(plan, (folder, name) => {
    const stat = folder.stat(name);
    if (stat === undefined || !isSince(stat.ctimeNs, since)) return false;
    const content = folder.read(name, MAX_PLAN);
    return content === undefined || /^\s*(?:x|exec)\s/m.test(content.toString("latin1"));
  });
  return runs === true ? [plan] : [];
}
