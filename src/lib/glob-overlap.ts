import { isWild, matchesSegment, mayBeBoth, type PathGlob, tokens } from "./glob.ts";

/**
 * True when a glob seems to target what a pattern covers: it matches typical names of the pattern, or starts like it.
 * `*` alone matches by accident and does not count. In the shell it does not match a leading dot either; with `dots`,
 * as in git, find and search tools, it does, and git's also matches across folders.
 */
export function mayReach(glob: PathGlob, path: string, dots = false): boolean {
  const segments = path.split("/").filter((segment) => segment !== "");
  if (segmentsOverlap(glob.segments, segments, dots)) return true;
  const last = segments.at(-1) ?? "";
  const across = /^(.*[^*])\*+([^*].*)$/.exec(last);
  return (
    dots &&
    across !== null &&
    segmentsOverlap(glob.segments, [...segments.slice(0, -1), `${across[1]}*`, "**", `*${across[2]}`], dots)
  );
}

function segmentsOverlap(pattern: readonly string[], path: readonly string[], dots: boolean): boolean {
  const [wanted, ...laterPattern] = pattern;
  if (wanted === undefined) return true;
  if (wanted === "**") return path.some((_, index) => segmentsOverlap(laterPattern, path.slice(index), dots));
  const [segment, ...laterPath] = path;
  if (segment === undefined) return false;
  if (segment === "**")
    return (
      segmentsOverlap(pattern, laterPath, dots) ||
      (laterPattern.length > 0 && segmentsOverlap(laterPattern, path, dots))
    );
  return overlaps(wanted, segment, dots) && segmentsOverlap(laterPattern, laterPath, dots);
}

/** What a pattern's `*` typically stands for. */
const USUAL = ["", "x", "local", "production", "development", "staging", "prod", "dev"];

function overlaps(wanted: string, segment: string, dots: boolean): boolean {
  if (!isWild(segment)) return matchesSegment(wanted, segment);
  if (/^[*?.]*$/.test(segment) && !(dots ? /^\.|\?/ : /^\./).test(segment)) return false;
  if (!dots && /^[*?]/.test(segment) && wanted.startsWith(".")) return false;
  const names = wanted.includes("*") ? USUAL.map((text) => wanted.replaceAll("*", text)) : [wanted];
  if (names.some((name) => matchesSegment(segment, name))) return true;
  const [one, other] = [literalStart(wanted), literalStart(segment)];
  const alike = other.length > 1 && (one.startsWith(other) || other.startsWith(one)) && one !== "";
  return alike && mayBeBoth(tokens(wanted), tokens(segment));
}

function literalStart(pattern: string): string {
  return /^[^*?[]*/.exec(pattern)?.[0] ?? "";
}
