import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../lib/make-folder.ts";
import { sha256 } from "../lib/sha256.ts";

/** Copilot ends the run after eight refused stops in a row; other agents would continue forever. */
export const MAX_REFUSED_STOPS = 8;

/** Counts a refused stop of a session. False when there were already too many, so the agent may stop. */
export function countRefusedStop(folder: string, session: string): boolean {
  const file = fileOf(folder, session);
  const before = refusedStops(file);
  if (before >= MAX_REFUSED_STOPS) return false;
  makeFolder(join(folder, "stops"));
  writeFileSync(file, String(before + 1), { mode: 0o600 });
  return true;
}

/** Resets the count, after a message from the user or an allowed stop. */
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
