import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { isRecord } from "../../lib/is-record.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { sha256 } from "../../lib/sha256.ts";

/** Why a session is tainted: what the screen found in a text from outside, and when. */
export interface Taint {
  readonly since: string;
  readonly because: string;
}

/** Marks a session until the user speaks again. Kept on disk: a restarted process must not forget it. The first mark stays. */
export function raiseTaint(folder: string, session: string, taint: Taint): void {
  const path = fileOf(folder, session);
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  atomicWrite(path, `${JSON.stringify(taint)}\n`);
}

/** The mark of a session, if it has one. One that cannot be read is a mark all the same. */
export function readTaint(folder: string, session: string): Taint | undefined {
  const path = fileOf(folder, session);
  if (!existsSync(path)) return undefined;
  const unreadable = { since: "unknown", because: "the taint file cannot be read" };
  try {
    const value: unknown = parseJson(readFileSync(path, "utf8"));
    if (!isRecord(value)) return unreadable;
    const { since, because } = value;
    return typeof since === "string" && typeof because === "string" ? { since, because } : unreadable;
  } catch {
    return unreadable;
  }
}

/** The user has spoken: what was read before no longer counts. */
export function clearTaint(folder: string, session: string): void {
  rmSync(fileOf(folder, session), { force: true });
}

/** A session's name comes from outside, so it is no file name. */
const fileOf = (folder: string, session: string) => join(folder, "taint", `${sha256(session)}.json`);
