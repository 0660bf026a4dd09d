import { readFileSync } from "node:fs";

const FRESH_MS = 5000;
let last: { readonly at: number; readonly points: readonly string[] } | undefined;

/** Where something is mounted on this machine; none where the system keeps no such list. A mount needs rights that agents do not have, so the list is kept for some seconds. */
export function mountPoints(): readonly string[] {
  const at = Date.now();
  if (last === undefined || at - last.at > FRESH_MS || at < last.at) last = { at, points: readPoints() };
  return last.points;
}

function readPoints(): readonly string[] {
  try {
    return parseMounts(readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return [];
  }
}

/** The mount points of a `mountinfo` text: the fifth field, with blanks and backslashes as octal codes. */
export function parseMounts(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((point) => point !== "")
    .map((point) => point.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))));
}
