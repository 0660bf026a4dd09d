import { UserError } from "../../lib/user-error.ts";
import { RECIPE_INVALID } from "./read-yaml.ts";
import type { Recipe, Step } from "./recipe.ts";

/** A step and the indexes of the steps that must have ended before it starts, in file order. */
export interface PlannedStep {
  readonly step: Step;
  readonly index: number;
  readonly after: readonly number[];
}

/**
 * The order of a recipe's steps. A step with `needs` waits for those steps and what they need; members of a parallel
 * group wait for everything before the group; any other step waits for everything before it.
 */
export function planSteps({ name, steps }: Pick<Recipe, "name" | "steps">): readonly PlannedStep[] {
  const indexes = indexById(steps, name);
  const direct = steps.map((step, index) => directNeeds(step, { index, steps, indexes, name }));
  const all = new Map<number, ReadonlySet<number>>();
  const visit = (index: number, path: readonly number[]): ReadonlySet<number> => {
    const known = all.get(index);
    if (known !== undefined) return known;
    if (path.includes(index)) throw circle([...path.slice(path.indexOf(index)), index], steps, name);
    const found = new Set<number>();
    // The last one usually needs all others, which then need not be looked at.
    for (const need of (direct[index] ?? []).toReversed()) {
      if (found.has(need)) continue;
      found.add(need);
      for (const further of visit(need, [...path, index])) found.add(further);
    }
    all.set(index, found);
    return found;
  };
  return steps.map((step, index) => ({ step, index, after: [...visit(index, [])].toSorted((one, two) => one - two) }));
}

function indexById(steps: readonly Step[], name: string): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  steps.forEach(({ id }, index) => {
    if (indexes.has(id))
      throw new UserError(`two steps have the id '${id}'`, {
        where: name,
        fix: "give every step its own id, also in a recipe that extends another",
        exitCode: RECIPE_INVALID,
      });
    indexes.set(id, index);
  });
  return indexes;
}

interface NeedsPlace {
  readonly index: number;
  readonly steps: readonly Step[];
  readonly indexes: ReadonlyMap<string, number>;
  readonly name: string;
}

function directNeeds(step: Step, { index, steps, indexes, name }: NeedsPlace): readonly number[] {
  if (step.needs !== undefined)
    return step.needs.map((id) => {
      const found = indexes.get(id);
      if (found !== undefined) return found;
      throw new UserError(`the step '${step.id}' needs '${id}', which does not exist`, {
        where: name,
        fix: `use the id of a step: ${steps
          .map((other) => other.id)
          .join(", ")
          .slice(0, 300)}`,
        exitCode: RECIPE_INVALID,
      });
    });
  return Array.from({ length: groupStart(steps, index) }, (_, earlier) => earlier);
}

/** Where the group of adjacent steps begins that a step belongs to; the step itself when it has no group. */
function groupStart(steps: readonly Step[], index: number): number {
  const group = steps[index]?.parallelGroup;
  let start = index;
  while (group !== undefined && start > 0 && steps[start - 1]?.parallelGroup === group) start--;
  return start;
}

function circle(path: readonly number[], steps: readonly Step[], name: string): UserError {
  const ids = path.map((index) => steps[index]?.id ?? "");
  return new UserError(`these steps wait for each other: ${ids.join(" → ")}`, {
    where: name,
    fix: "remove one of the 'needs'; a step without 'needs' waits for all steps before it",
    exitCode: RECIPE_INVALID,
  });
}
