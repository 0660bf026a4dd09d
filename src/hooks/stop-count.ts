import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../lib/make-folder.ts";
import { sha256 } from "../lib/sha256.ts";

/** Copilot ends the run by itself after eight refused stops in a row; the others would go on for ever. */
export const MAX_REFUSED_STOPS = 8;

/** Counts a refused stop of a session. False when there were too many already: then the agent may stop. */
export function countRefusedStop(folder: string, session: string): boolean {
  const file = fileOf(folder, session);
  const before = refusedStops(file);
  if (before >= MAX_REFUSED_STOPS) return false;
  makeFolder(join(folder, "stops"));
  writeFileSync(file, String(before + 1), { mode: 0o600 });
  return true;
}

/** The user has spoken, or the agent was let go: counting starts anew. */
export function forgetRefusedStops(folder: string, session: string): void {
  rmSync(fileOf(folder, session), { force: true });
}

function refusedStops(file: string): number {
  try {
    const count = Number(readFileSync(file, "utf8"));
    return Number.isSafeInteger(count) && count >= 0 ? count : MAX_REFUSED_STOPS;
  } catch {
    return 0;
  }
}

const fileOf = (folder: string, session: string) => join(folder, "stops", sha256(session));
