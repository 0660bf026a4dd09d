import { readFileSync } from "node:fs";

const FRESH_MS = 5000;
let last: { readonly at: number; readonly points: readonly string[] } | undefined;

/**
 * This machine's mount points, or none if the system doesn't list them. Agents lack the rights to mount anything, so
 * the list is cached for a few seconds.
 */
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

/** Parses the mount points from a `mountinfo` text: the fifth field, with blanks and backslashes as octal escapes. */
export function parseMounts(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((point) => point !== "")
    .map((point) => point.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))));
}
