/** The closest match for a mistyped name, with at most a third of it wrong. Undefined when none is that close. */
export const nearest = (word: string, names: readonly string[]): string | undefined => nearestFew(word, names, 1)[0];

/** The closest matches, best first. */
export function nearestFew(word: string, names: readonly string[], most: number): readonly string[] {
  const ranked = names
    .map((name) => ({ name, edits: editDistance(word.slice(0, MAX_READ).toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(name.length / 3)));
  const best = ranked.toSorted((one, other) => one.edits - other.edits).slice(0, most);
  return best.map(({ name }) => name);
}

/** A mistyped name is never as long as a page of text. */
const MAX_READ = 64;

/** Edit distance: letters to add, drop, change or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let above: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const changed = from[line - 1] === to[column - 1] ? 0 : 1;
      const swapped = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      next[column] = Math.min(
        (next[column - 1] ?? 0) + 1,
        (row[column] ?? 0) + 1,
        (row[column - 1] ?? 0) + changed,
        line > 1 && column > 1 && swapped ? (above[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [above, row] = [row, next];
  }
  return row[to.length] ?? 0;
}
