import { spawnSync } from "node:child_process";
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
} from "node:fs";
import { join } from "node:path";
import { randomId } from "../../lib/files/random-id.ts";
import { systemProgram } from "../../lib/path/find-program.ts";
import { errorCode } from "../../lib/text/user-error.ts";

/** Paths are bytes in here, one character for each, because names on the disk need not be UTF-8. */
export const bytesOf = (path: string) => Buffer.from(path, "utf8").toString("latin1");
export const textOf = (path: string) => Buffer.from(path, "latin1").toString("utf8");
export const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf("/"), 0));
export const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/**
 * A folder that stays the same one whatever commands of another session put in the place of its name. All of its
 * methods follow no link, and give the owner's rights back where a command has taken them.
 */
export interface HeldFolder extends Disposable {
  /** Where an entry is, for calls of the system. */
  readonly at: (name: string) => Buffer;
  /** Gives the owner's rights back. */
  readonly regain: () => void;
  readonly stat: (name?: string) => BigIntStats | undefined;
  readonly names: () => readonly Dirent[];
  /** Undefined if it is no folder. */
  readonly open: (name: string) => HeldFolder | undefined;
  /** Undefined if it is no file, or has more bytes. */
  readonly read: (name: string, most: number) => Buffer | undefined;
  /** Into the folder `kept`, where no command can reach it. False if something is still there. */
  readonly moveAway: (name: string, kept: string) => boolean;
}

/** Opens a folder name by name; undefined if there is none, or a link on the way. */
export function holdFolder(path: string): HeldFolder | undefined {
  let folder: HeldFolder = held(openSync("/", FOLDER), "/");
  for (const name of path.split("/").filter((each) => each !== "")) {
    using above = folder;
    const next = above.open(name);
    if (next === undefined) return undefined;
    folder = next;
  }
  return folder;
}

/** Does something with the folder that has an entry; undefined if there is none. */
export function withParent<Result>(path: string, act: (folder: HeldFolder, name: string) => Result) {
  using folder = holdFolder(parentOf(path));
  return folder === undefined ? undefined : act(folder, nameOf(path));
}

/** Also for a program that we start. */
const DESCRIPTORS = `/proc/${process.pid}/fd`;
/** `O_PATH` of Linux: a folder that may not be read can be opened as well. */
const HANDLE = process.platform === "linux" ? 0o10_000_000 : 0;
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | HANDLE;
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const OWNER_RIGHTS = 0o700;

function held(descriptor: number, path: string): HeldFolder {
  const own = existsSync(DESCRIPTORS) ? `${DESCRIPTORS}/${descriptor}` : path;
  const at = (name: string) => Buffer.from(name === "" ? own : join(own, name), "latin1");
  const regain = () => {
    const { mode } = fstatSync(descriptor);
    if ((mode & OWNER_RIGHTS) !== OWNER_RIGHTS) chmodSync(own, (mode | OWNER_RIGHTS) & 0o7777);
  };
  /** Undefined if there is nothing, or something else. */
  const tried = <Result>(act: () => Result, isAgain = false): Result | undefined => {
    try {
      return act();
    } catch (error) {
      if (NOTHING.has(errorCode(error) ?? "")) return undefined;
      if (errorCode(error) !== "EACCES" || isAgain) throw error;
      regain();
      return tried(act, true);
    }
  };
  const stat = (name?: string) =>
    name === undefined
      ? fstatSync(descriptor, { bigint: true })
      : tried(() => lstatSync(at(name), { bigint: true, throwIfNoEntry: false }));
  const open = (name: string) => {
    const inner = tried(() => openSync(at(name), FOLDER));
    return inner === undefined ? undefined : held(inner, join(path, name));
  };
  return {
    at,
    regain,
    stat,
    open,
    names: () => tried(() => readdirSync(at(""), { withFileTypes: true, encoding: "latin1" })) ?? [],
    read(name, most) {
      try {
        return tried(() => readFile(at(name), most));
      } catch {
        // Git cannot read it either.
        return undefined;
      }
    },
    moveAway(name, kept) {
      try {
        regain();
        using inner = open(name);
        inner?.regain();
        moveOut(at, name, kept);
      } catch {
        // The caller names what is still there.
      }
      return stat(name) === undefined;
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

const NOTHING: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

function readFile(path: Buffer, most: number): Buffer | undefined {
  const file = openSync(path, FILE);
  try {
    const { size } = fstatSync(file);
    if (!fstatSync(file).isFile() || size > most) return undefined;
    const content = Buffer.alloc(size);
    return content.subarray(0, readSync(file, content));
  } finally {
    closeSync(file);
  }
}

function moveOut(at: HeldFolder["at"], name: string, kept: string): void {
  mkdirSync(kept, { recursive: true, mode: OWNER_RIGHTS });
  const target = `${kept}/${Buffer.from(`${randomId()}-${name}`.slice(0, 200), "latin1").toString("utf8")}`;
  try {
    renameSync(at(name), target);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    const aside = `.signalbox-${randomId()}`;
    renameSync(at(name), at(aside));
    spawnSync(systemProgram("mv") ?? "mv", ["-T", "--", at(aside).toString("latin1"), target]);
  }
  if (!lstatSync(target).isSymbolicLink())
    spawnSync(systemProgram("chmod") ?? "chmod", ["-R", "u+rwX", "--", target], { stdio: "ignore" });
}
