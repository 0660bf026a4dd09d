import { planSteps } from "../recipe/plan-steps.ts";
import type { Recipe, Step } from "../recipe/recipe.ts";

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
