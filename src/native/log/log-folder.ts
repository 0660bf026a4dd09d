import { chmodSync, closeSync, constants, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, unusableFolder } from "../../lib/files/make-folder.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";

const ID = /^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$/;

/** The id at the beginning of every file of a session. */
export const SESSION_ID = /^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}(?=\.)/;

/** A new id: the start time, then random digits, so that names sort by time. */
export function newSessionId(now: number): string {
  const [date = "", time = ""] = new Date(now).toISOString().replaceAll(/[-:]/g, "").split("T");
  return `${date}-${time.slice(0, 6)}-${randomId().slice(0, 8)}`;
}

/** The folder of the logs, whether or not it exists, because reading must not require write access. */
export const sessionsPlace = (home: string) => join(home, "sessions");

/** The folder of the logs, created if missing. Conversations contain the user's work, so nobody else gets access. */
export function sessionsFolder(home: string): string {
  const folder = sessionsPlace(home);
  makeFolder(folder);
  try {
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw unusableFolder(folder, cause);
  }
  return folder;
}

export const logPath = (folder: string, id: string) => join(folder, `${id}.jsonl`);

export const lockPath = (folder: string, id: string) => join(folder, `${id}.lock`);

/** What the tools of a session keep: long output, work items. */
export const filesPath = (folder: string, id: string) => join(folder, `${id}.files`);

/** The logs of a session's sub-agents. */
export const agentsPath = (folder: string, id: string) => join(folder, `${id}.agents`);

/** Every session in the folder, newest first. */
export function sessionIds(folder: string): readonly string[] {
  return namesIn(folder)
    .flatMap((name) => (name.endsWith(".jsonl") && ID.test(name.slice(0, -6)) ? [name.slice(0, -6)] : []))
    .toSorted()
    .toReversed();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") throw unusableFolder(folder, cause);
    throw new UserError(`cannot read the sessions folder (${code ?? String(cause)})`, {
      where: folder,
      fix: "make it a readable folder",
      exitCode: EXIT.failed,
      cause,
    });
  }
}

/** By when they were last written to, newest first; on a tie, the one that began last. */
function byAge(folder: string, ids: readonly string[]): readonly string[] {
  const age = (id: string) => Math.round(statSync(logPath(folder, id), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const ages = ids.map((id) => ({ id, at: age(id) }));
  return ages.toSorted((one, other) => other.at - one.at).map(({ id }) => id);
}

/** The last session of `cwd`. One whose folder cannot be read counts, so that its damage is told. */
function lastOf(cwd: string, folder: string, ids: readonly string[]): string {
  const newest = byAge(folder, ids);
  const last = newest.find((id) => (sessionCwd(logPath(folder, id)) ?? cwd) === cwd);
  if (last !== undefined) return last;
  const [other] = newest;
  throw new UserError("no session worked in this folder yet", {
    where: cwd,
    fix:
      other === undefined
        ? 'begin one: signalbox native -p "…"'
        : `the last of all is ${other}, in ${sessionCwd(logPath(folder, other)) ?? "an unknown folder"}; pass its id to mean it`,
  });
}

/** The session the user means: an id, the beginning or end of one, or `last`, which is the last one of `cwd`. */
export function findSession(folder: string, wanted: string, cwd: string): string {
  const ids = sessionIds(folder);
  if (wanted === "last") return lastOf(cwd, folder, ids);
  const found = ids.filter((id) => id.startsWith(wanted) || id.endsWith(wanted));
  const [id] = found;
  if (id !== undefined && wanted !== "" && found.length === 1) return id;
  throw new UserError(
    found.length > 1 ? `${found.length} sessions match "${wanted}"` : `no session matches "${wanted}"`,
    {
      where: folder,
      fix: "list them with: signalbox sessions list",
    },
  );
}

const MAX_HEADER = 256 * 1024;

/** The folder a session works in, from the first line of its log. Undefined if that cannot be read. */
function sessionCwd(path: string): string | undefined {
  try {
    const header: unknown = parseJson(firstLine(path));
    return isRecord(header) && typeof header["cwd"] === "string" ? header["cwd"] : undefined;
  } catch {
    // Damaged or unreadable: whoever opens the session says so.
    return undefined;
  }
}

function firstLine(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(MAX_HEADER);
    const size = readSync(file, head, 0, MAX_HEADER, 0);
    const text = head.toString("utf8", 0, size);
    return text.slice(0, Math.max(0, text.indexOf("\n")));
  } finally {
    closeSync(file);
  }
}
