import type { Mutation } from "./mutations-of.ts";

/** A mutation and the file it changes, relative to the root. */
export interface Mutant extends Mutation {
  readonly file: string;
}

/**
 * `count` mutants, the same for the same seed. Takes turns between files and between the kinds in a file, so that
 * neither a long table nor a common kind crowds out the others.
 */
export function pickMutants(
  files: ReadonlyMap<string, readonly Mutation[]>,
  count: number,
  random: () => number,
): readonly Mutant[] {
  const picked: Mutant[] = [];
  const rest = new Map([...files].map(([file, mutations]) => [file, [...mutations]]));
  while (picked.length < count && rest.size > 0) {
    for (const file of shuffled([...rest.keys()], random)) {
      const left = rest.get(file) ?? [];
      const kinds = [...new Set(left.map(({ kind }) => kind))];
      const kind = kinds[Math.floor(random() * kinds.length)];
      const ofKind = left.filter((mutation) => mutation.kind === kind);
      const mutation = ofKind[Math.floor(random() * ofKind.length)];
      if (mutation === undefined) rest.delete(file);
      else if (picked.length < count) {
        picked.push({ ...mutation, file });
        left.splice(left.indexOf(mutation), 1);
      }
    }
  }
  return picked;
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}
