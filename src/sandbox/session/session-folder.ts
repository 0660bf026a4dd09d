import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { atExit } from "../../lib/process/at-exit.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { folderNames, removeTree } from "../../lib/files/folder-tree.ts";
import { processLife } from "../../lib/process/folder-owner.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { startTime } from "../../lib/process/process-table.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { textIfThere } from "../../lib/files/read-file.ts";
import { type FoundAfter, lookAfter, PLACES, standInsIn } from "./left-behind.ts";
import { KEPT } from "./look-outside.ts";
import { bytesOf } from "./held-folder.ts";

/** The private folder of one session: the client, its socket, and what was taken from the workspace. */
export interface SessionFolder extends Disposable {
  readonly path: string;
  /** A copy of the helper if there is one, because the package may be inside the workspace, where commands could replace it. */
  readonly program: string;
  /** Protected files that commands created; afterwards in `kept` of the user's signalbox folder, if there are any. */
  readonly kept: string;
}

/** Makes the folder. Its name is short, because agents show the program's path with each command. */
export function openSessionFolder(
  signalboxHome: string,
  helper: string | undefined,
  onFound: (found: FoundAfter) => void = () => undefined,
): SessionFolder {
  const base = join(signalboxHome, "s");
  makeFolder(base);
  void removeLeft(signalboxHome, onFound);
  const name = unusedName(base);
  const path = join(base, name);
  const kept = join(path, KEPT);
  const program = join(path, "sandbox");
  const remove = () => {
    // What could not be looked at is looked at again at the next start.
    if (keep(kept, join(signalboxHome, KEPT), name) && !existsSync(join(path, PLACES))) removeTree(path);
  };
  // A session that began, and whose end nobody saw, is looked after at the next start.
  const exit = atExit(() => existsSync(join(path, PLACES)) || remove());
  mkdirSync(kept, { mode: 0o700 });
  addOwner(path, process.pid);
  if (helper !== undefined) {
    copyFileSync(helper, program);
    chmodSync(program, 0o700);
  }
  return {
    path,
    program,
    kept,
    [Symbol.dispose]() {
      exit[Symbol.dispose]();
      remove();
    },
  };
}

function unusedName(base: string): string {
  for (;;) {
    const name = randomId().slice(0, 6);
    try {
      mkdirSync(join(base, name), { mode: 0o700 });
      return name;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** False if there is something to keep, and no place for it. */
function keep(from: string, folder: string, name: string): boolean {
  try {
    const entries = existsSync(from) ? readdirSync(from, "latin1") : [];
    if (entries.length === 0) return true;
    const target = join(folder, name);
    makeFolder(target);
    // Names of one byte a character, because they need not be UTF-8.
    const at = (place: string, entry: string) => Buffer.from(`${bytesOf(place)}/${entry}`, "latin1");
    for (const entry of entries) renameSync(at(from, entry), at(target, entry));
    return true;
  } catch {
    return false;
  }
}

const OWNER = "owner";

/** A session that is starting has neither an owner nor a socket yet. */
const START_MS = 60_000;
/** The owner may run in another container, where its number means another process, and does not listen yet. */
const FOREIGN_START_MS = 10_000;

/** Removes the folders of sessions whose signalbox was killed. What they took from the workspace is kept. */
async function removeLeft(signalboxHome: string, onFound: (found: FoundAfter) => void): Promise<void> {
  const base = join(signalboxHome, "s");
  const names = folderNames(base);
  const spared = names.map((name) => join(base, name)).flatMap((folder) => (isUsed(folder) ? standInsIn(folder) : []));
  for (const name of names) {
    const folder = join(base, name);
    try {
      if (isUsed(folder) || (await isListening(folder))) continue;
      const found = await lookAfter(folder, undefined, spared);
      for (const each of found) onFound(each);
      const isDone = !existsSync(join(folder, PLACES)) && found.every(({ type }) => type !== "left");
      if (keep(join(folder, KEPT), join(signalboxHome, KEPT), name) && isDone) removeTree(folder);
    } catch {
      // Another signalbox was faster.
    }
  }
}

/** Also by the keeper of a signalbox that was killed. */
export function addOwner(folder: string, pid: number): void {
  appendFileSync(join(folder, OWNER), `${pid} ${startTime(pid) ?? ""}\n`);
}

function isUsed(folder: string): boolean {
  const owners = (textIfThere(join(folder, OWNER)) ?? "").split("\n").filter((line) => line !== "");
  const isDead = (line: string) => {
    const [pid, started = ""] = line.split(" ");
    return processLife({ pid: Number(pid), started }) === "dead";
  };
  const hasOwner = owners.length > 0;
  if (!owners.every(isDead)) return true;
  return Date.now() - statSync(folder).mtimeMs < (hasOwner ? FOREIGN_START_MS : START_MS);
}

/** Through a descriptor, because a socket's path may be at most 107 bytes long. */
async function isListening(folder: string): Promise<boolean> {
  const file = openSync(folder, "r");
  try {
    return await new Promise<boolean>((resolve) => {
      const socket = connect(`/proc/self/fd/${file}/socket`);
      socket.on("connect", () => resolve(true));
      socket.on("error", (error) => resolve(!["ECONNREFUSED", "ENOENT"].includes(errorCode(error) ?? "")));
      socket.on("connect", () => socket.destroy());
      socket.unref();
    });
  } finally {
    closeSync(file);
  }
}
