import { fold, lexicalPath } from "./real-path.ts";

/** A compiled path pattern. It covers the paths it names and everything below them. */
export interface PathGlob {
  readonly source: string;
  /** A `!` entry, which negates earlier entries. */
  readonly lifts: boolean;
  /** Folded segments; `**` stands for any number of them. */
  readonly segments: readonly string[];
  /** The whole pattern, when it has no wildcard except a final `**`. */
  readonly prefix: string | undefined;
  /** The name after a leading `**`, when there is nothing else. */
  readonly name: string | undefined;
}

/** Relative patterns start at `root`, `~/` at `home`, `**` anywhere. */
export function compileGlob(source: string, place: { readonly root: string; readonly home: string }): PathGlob {
  const lifts = source.startsWith("!");
  const text = lifts ? source.slice(1) : source;
  const home = text === "~" || text.startsWith("~/") ? place.home + text.slice(1) : text;
  const absolute = home.startsWith("**") ? `/${home}` : lexicalPath(home, place.root);
  const all = fold(absolute)
    .split("/")
    .filter((segment) => segment !== "");
  const segments = all.at(-1) === "**" ? all.slice(0, -1) : all;
  const plain = segments.every((segment) => !isWild(segment));
  return {
    source,
    lifts,
    segments,
    prefix: plain ? `/${segments.join("/")}` : undefined,
    name: segments.length === 2 && segments[0] === "**" ? segments[1] : undefined,
  };
}

export function isWild(text: string): boolean {
  return /[*?[]/.test(text);
}

/** True when the pattern covers a folded absolute path. */
export function covers(glob: PathGlob, path: string): boolean {
  const { prefix, name } = glob;
  if (prefix !== undefined)
    return path === prefix || (path.startsWith(prefix) && (path[prefix.length] === "/" || prefix === "/"));
  const segments = path.split("/").slice(1);
  if (name !== undefined) return segments.some((segment) => matchesSegment(name, segment));
  return coversSegments(glob.segments, segments);
}

function coversSegments(pattern: readonly string[], path: readonly string[]): boolean {
  // reached[i]: the first i pattern segments match the path read so far.
  let reached = new Set([0]);
  const close = (set: Set<number>): Set<number> => {
    for (const index of set) if (pattern[index] === "**") set.add(index + 1);
    return set;
  };
  reached = close(reached);
  for (const segment of path) {
    if (reached.has(pattern.length)) return true;
    const next = new Set<number>();
    for (const index of reached) {
      const wanted = pattern[index];
      if (wanted === undefined) continue;
      if (wanted === "**") next.add(index);
      else if (matchesSegment(wanted, segment)) next.add(index + 1);
    }
    reached = close(next);
  }
  return reached.has(pattern.length);
}

/** Matches one name against `*`, `?` and `[…]`, in time proportional to the product of both lengths. */
export function matchesSegment(pattern: string, name: string): boolean {
  const wild = pattern.search(/[*?[]/);
  if (wild === -1) return pattern === name;
  if (wild > 0 && !name.startsWith(pattern.slice(0, wild))) return false;
  if (wild === pattern.length - 1 && pattern.endsWith("*")) return true;
  if (pattern.startsWith("*") && !isWild(pattern.slice(1))) return name.endsWith(pattern.slice(1));
  return mayBeBoth(tokens(pattern), Array.from(name, literalToken));
}

export type NameToken =
  | { readonly kind: "many" }
  | { readonly kind: "one"; readonly test: (character: string) => boolean; readonly sample: string | undefined };

/** A name pattern as tokens; `sample` is the character of a literal. */
export function tokens(pattern: string): readonly NameToken[] {
  const found: NameToken[] = [];
  for (let rest = pattern; rest !== "";) {
    const bracket = /^\[(!|\^)?(\]?[^\]]*)\]/.exec(rest);
    if (rest.startsWith("*")) found.push({ kind: "many" });
    else if (rest.startsWith("?")) found.push({ kind: "one", test: () => true, sample: undefined });
    else if (bracket !== null) found.push(bracketToken(bracket[2] ?? "", bracket[1] !== undefined));
    else {
      const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      found.push(literalToken(character));
    }
    rest = rest.slice(bracket?.[0].length ?? String.fromCodePoint(rest.codePointAt(0) ?? 0).length);
  }
  return found;
}

function literalToken(character: string): NameToken {
  return { kind: "one", test: (other) => other === character, sample: character };
}

function bracketToken(body: string, negated: boolean): NameToken {
  const inside = (character: string): boolean => {
    for (let index = 0; index < body.length; index++) {
      const end = body[index + 1] === "-" ? body[index + 2] : undefined;
      if (end !== undefined) {
        if (character >= (body[index] ?? "") && character <= end) return true;
        index += 2;
      } else if (body[index] === character) return true;
    }
    return false;
  };
  return { kind: "one", test: (character) => inside(character) !== negated, sample: undefined };
}

const PROBES = "abcdefghijklmnopqrstuvwxyz0123456789._-".split("");

/** True when some name matches both token lists. */
export function mayBeBoth(one: readonly NameToken[], other: readonly NameToken[]): boolean {
  let row = new Set([0]);
  const width = other.length;
  const spread = (set: Set<number>): Set<number> => {
    for (const index of set) if (other[index]?.kind === "many") set.add(index + 1);
    return set;
  };
  row = spread(row);
  for (const token of one) {
    const next = new Set<number>();
    if (token.kind === "many") for (let index = Math.min(...row); index <= width; index++) next.add(index);
    else
      for (const index of row) {
        const against = other[index];
        if (against?.kind === "many") next.add(index);
        else if (against !== undefined && shareCharacter(token, against)) next.add(index + 1);
      }
    if (next.size === 0) return false;
    row = spread(next);
  }
  return row.has(width);
}

function shareCharacter(one: Extract<NameToken, { kind: "one" }>, other: Extract<NameToken, { kind: "one" }>): boolean {
  if (one.sample !== undefined) return other.test(one.sample);
  if (other.sample !== undefined) return one.test(other.sample);
  return PROBES.some((probe) => one.test(probe) && other.test(probe));
}

/** Whether a path pattern contains syntax that ours does not support: braces, backslashes, `***`, an open bracket. */
export function hasGlobFlaw(pattern: string): boolean {
  return /[{}\\]|\*{3}|\[[^\]]*$/.test(pattern);
}

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
