import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../lib/error-code.ts";
import { makeFolder, unusableFolder } from "../lib/make-folder.ts";
import { randomId } from "../lib/random-id.ts";
import { EXIT, UserError } from "../lib/user-error.ts";

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

/** The session that was written to last, as in the list; on a tie, the one that began last. */
function newest(folder: string, ids: readonly string[]): readonly string[] {
  const age = (id: string) => Math.round(statSync(logPath(folder, id), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const ages = ids.map((id) => ({ id, at: age(id) }));
  return ages
    .toSorted((one, other) => other.at - one.at)
    .slice(0, 1)
    .map(({ id }) => id);
}

/** The session the user means: an id, the beginning or end of one, or `last`. */
export function findSession(folder: string, wanted: string): string {
  const ids = sessionIds(folder);
  const found =
    wanted === "last" ? newest(folder, ids) : ids.filter((id) => id.startsWith(wanted) || id.endsWith(wanted));
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
