import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../lib/make-folder.ts";
import { sha256 } from "../lib/sha256.ts";

/** Copilot ends the run after eight refused stops in a row; other agents would continue forever. */
export const MAX_REFUSED_STOPS = 8;

/** Counts a refused stop of a session. False when there were already too many, so the agent may stop. */
export function countRefusedStop(folder: string, session: string, because = ""): boolean {
  const file = fileOf(folder, session);
  const before = refusedStops(file);
  if (before >= MAX_REFUSED_STOPS) return false;
  makeFolder(join(folder, "stops"));
  writeFileSync(file, `${before + 1} ${sha256(because.trim())}`, { mode: 0o600 });
  return true;
}

/** True when a prompt is the reason for the last refused stop: some agents report it as if a person had written it. */
export function isRefusalReason(folder: string, session: string, prompt: string): boolean {
  return stateOf(fileOf(folder, session))[1] === sha256(prompt.trim());
}

/** Resets the count, after a message from the user or an allowed stop. */
export function forgetRefusedStops(folder: string, session: string): void {
  rmSync(fileOf(folder, session), { force: true });
}

/** Remembers that a session has reported a stop, until it ends. */
export function noteStop(folder: string, session: string): void {
  makeFolder(join(folder, "stops"));
  writeFileSync(stoppedFile(folder, session), "", { mode: 0o600 });
}

/** True when the session has reported a stop. */
export const hasStopped = (folder: string, session: string) => existsSync(stoppedFile(folder, session));

export const forgetStop = (folder: string, session: string) => rmSync(stoppedFile(folder, session), { force: true });

const stoppedFile = (folder: string, session: string) => `${fileOf(folder, session)}-stopped`;

function refusedStops(file: string): number {
  const [text = "0"] = stateOf(file);
  const count = Number(text);
  return text !== "" && Number.isSafeInteger(count) && count >= 0 ? count : MAX_REFUSED_STOPS;
}

function stateOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split(" ");
  } catch {
    return [];
  }
}

const fileOf = (folder: string, session: string) => join(folder, "stops", sha256(session));
