import { isInside } from "../lib/inside.ts";

/** Longer expressions would not fit into one string of a profile. */
const MAX_BYTES = 850;

/**
 * Expressions that match the paths below `roots` in any mixture of upper and lower case: on most disks of macOS that is
 * the same file, but a profile compares names exactly. The root itself is compared as it is, because the kernel knows
 * its real name. `tail` is added to each.
 */
export function inAnyCase(paths: readonly string[], roots: readonly string[], tail: string): readonly string[] {
  const byRoot = Map.groupBy(paths, (path) => roots.find((root) => path !== root && isInside(path, root)));
  return [...byRoot].flatMap(([root, found]) => {
    if (root === undefined) return [];
    const names = found.map((path) => anyCase(path.slice(root.length + 1)));
    return batches(names).map((batch) => `^${escaped(root)}/(${batch.join("|")})${tail}$`);
  });
}

function batches(names: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  let bytes = 0;
  for (const name of new Set(names)) {
    bytes += Buffer.byteLength(name) + 1;
    const last = found.at(-1);
    if (last !== undefined && bytes <= MAX_BYTES) {
      last.push(name);
      continue;
    }
    found.push([name]);
    bytes = Buffer.byteLength(name);
  }
  return found;
}

/** Letters outside ASCII that a disk takes for one of ASCII. */
const LOOKALIKES: Readonly<Record<string, string>> = { k: "\u212a", s: "\u017f" };

function anyCase(name: string): string {
  return name.replace(/./gsu, (character) => {
    const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
    if (lower === upper) return escaped(character);
    if (!/^[a-z]$/.test(lower)) return `(${[...new Set([character, lower, upper])].map(escaped).join("|")})`;
    const other = LOOKALIKES[lower];
    return other === undefined ? `[${lower}${upper}]` : `([${lower}${upper}]|${other})`;
  });
}

/** Text as an expression that matches exactly this text. */
const escaped = (text: string) => text.replace(/[\\^$.|+*?(){}[\]]/g, String.raw`\$&`);
