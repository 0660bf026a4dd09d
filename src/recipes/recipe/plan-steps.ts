import { UserError } from "../../lib/text/user-error.ts";
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

/** The steps of a recipe as a Mermaid flow chart. */
export function recipeGraph(recipe: Pick<Recipe, "name" | "steps">): string {
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
