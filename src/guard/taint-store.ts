import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { newerFormat, withUpdate } from "../lib/json/file-format.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { sha256 } from "../lib/json/sha256.ts";

/** Why a session is tainted: what the screen found in untrusted text, and when. */
export interface Taint {
  readonly since: string;
  readonly because: string;
}

/**
 * Taints a session until the user's next message. Stored on disk, so that a restart does not lose it. The first taint
 * is kept.
 */
export function raiseTaint(folder: string, session: string, taint: Taint): void {
  const path = fileOf(folder, session);
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  atomicWrite(path, `${JSON.stringify({ version: 1, ...taint })}\n`);
}

/** A session's taint, if any. An unreadable one still counts as tainted. */
export function readTaint(folder: string, session: string): Taint | undefined {
  const path = fileOf(folder, session);
  if (!existsSync(path)) return undefined;
  const unreadable = { since: "unknown", because: "the taint file cannot be read" };
  try {
    const value: unknown = parseJson(readFileSync(path, "utf8"));
    if (!isRecord(value)) return unreadable;
    const newer = newerFormat(value);
    if (newer !== undefined) return { since: "unknown", because: withUpdate(`the taint was ${newer}`) };
    const { since, because } = value;
    return typeof since === "string" && typeof because === "string" ? { since, because } : unreadable;
  } catch {
    return unreadable;
  }
}

/** Clears the taint after a message from the user. */
export function clearTaint(folder: string, session: string): void {
  rmSync(fileOf(folder, session), { force: true });
}

/** The session name is untrusted input, so it is not used as a file name. */
const fileOf = (folder: string, session: string) => join(folder, "taint", `${sha256(session)}.json`);
