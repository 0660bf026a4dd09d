import { isWild, matchesSegment, mayBeBoth, type PathGlob, tokens } from "./glob.ts";

/**
 * True when a shell glob seems aimed at what a pattern covers: it matches the plainest names of the pattern, or starts
 * like it. `*` alone matches by chance and does not count, nor does it match a leading dot, as in the shell.
 */
export function mayReach(glob: PathGlob, path: string): boolean {
  return reach(
    glob.segments,
    path.split("/").filter((segment) => segment !== ""),
  );
}

function reach(pattern: readonly string[], path: readonly string[]): boolean {
  const [wanted, ...laterPattern] = pattern;
  if (wanted === undefined) return true;
  if (wanted === "**") return path.some((_, index) => reach(laterPattern, path.slice(index)));
  const [segment, ...laterPath] = path;
  if (segment === undefined) return false;
  if (segment === "**") return reach(pattern, laterPath);
  return overlaps(wanted, segment) && reach(laterPattern, laterPath);
}

function overlaps(wanted: string, segment: string): boolean {
  if (!isWild(segment)) return matchesSegment(wanted, segment);
  if (/^[*?.]*$/.test(segment) && !segment.startsWith(".")) return false;
  if (/^[*?]/.test(segment) && wanted.startsWith(".")) return false;
  if ([wanted.replaceAll("*", ""), wanted.replaceAll("*", "x")].some((name) => matchesSegment(segment, name)))
    return true;
  const [one, other] = [literalStart(wanted), literalStart(segment)];
  const alike = other.length > 1 && (one.startsWith(other) || other.startsWith(one)) && one !== "";
  return alike && mayBeBoth(tokens(wanted), tokens(segment));
}

function literalStart(pattern: string): string {
  return /^[^*?[]*/.exec(pattern)?.[0] ?? "";
}
