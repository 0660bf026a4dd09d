import { UserError } from "../../lib/text/user-error.ts";
import { type Recipe, RECIPE_EXIT, type Step } from "./recipe.ts";

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
export function planSteps({ name, steps }: Recipe): readonly PlannedStep[] {
  const indexes = indexById(steps, name);
  const indexOf = (needed: string, step: Step): number => {
    const index = indexes.get(needed);
    if (index === undefined) throw missingStep(needed, step, steps, name);
    return index;
  };
  const direct = steps.map(
    (step, index) => step.needs?.map((needed) => indexOf(needed, step)) ?? range(groupStart(steps, index)),
  );
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

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

function indexById(steps: readonly Step[], name: string): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  steps.forEach(({ id }, index) => {
    if (indexes.has(id))
      throw new UserError(`two steps have the id '${id}'`, {
        where: name,
        fix: "give every step its own id, also in a recipe that extends another",
        exitCode: RECIPE_EXIT.invalid,
      });
    indexes.set(id, index);
  });
  return indexes;
}

function missingStep(needed: string, { id }: Step, steps: readonly Step[], name: string): UserError {
  const ids = steps.map((step) => step.id).join(", ");
  return new UserError(`the step '${id}' needs '${needed}', which does not exist`, {
    where: name,
    fix: `use the id of a step: ${ids.slice(0, 300)}`,
    exitCode: RECIPE_EXIT.invalid,
  });
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
    exitCode: RECIPE_EXIT.invalid,
  });
}

/** The steps of a recipe as a Mermaid flow chart. */
export function recipeGraph(recipe: Recipe): string {
  const planned = planSteps(recipe);
  const nodes = planned.map(({ step, index }) => `  s${index}${shape(step)}`);
  const edges = planned.flatMap(({ after, index, step }) => {
    // An edge that follows from others is left out.
    const implied = new Set(after.flatMap((earlier) => planned[earlier]?.after ?? []));
    const label = step.condition === undefined ? "" : `|${text(step.condition)}|`;
    return after.filter((earlier) => !implied.has(earlier)).map((earlier) => `  s${earlier} -->${label} s${index}`);
  });
  return ["flowchart TD", ...nodes, ...edges, ""].join("\n");
}

function shape({ id, type, recipe, agent }: Step): string {
  const about = type === "recipe" ? recipe : type === "agent" ? (agent ?? "agent") : undefined;
  const label = `"${text(about === undefined ? id : `${id}: ${about}`)}"`;
  if (type === "agent") return `([${label}])`;
  if (type === "recipe") return `[[${label}]]`;
  return type === "approval" ? `{${label}}` : `[${label}]`;
}

/** Mermaid's own escapes, so that an id cannot end its label. */
const text = (value: string) =>
  value.slice(0, 80).replace(/[^\p{L}\p{N} _.:=<>!+-]/gu, (character) => `#${character.codePointAt(0) ?? 0};`);
