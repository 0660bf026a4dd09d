import type { Recipe } from "../../recipes/recipe/recipe.ts";
import { type MarkdownFile, markdownOf } from "../../lib/read-markdown.ts";

const MAX_WORDS = 200;
const MAX_VALUES = 20;

/** A recipe as a command for agents: its text tells the model how to start it. */
export function recipeText(name: string, recipe: Recipe): MarkdownFile {
  const description = plain(recipe.description) || `Run the recipe ${name}`;
  const body = bodyOf(name, recipe);
  const fields = { description, "argument-hint": "[TASK]" };
  return { name, folder: "", text: markdownOf(fields, body), description, fields, body };
}

function bodyOf(name: string, recipe: Recipe): string {
  const values = valuesOf(recipe);
  return [
    "Run this one command and wait for its end. That may take many minutes, so use the longest time limit of your shell tool, or the background.",
    `    signalbox recipe run ${name}${values.length === 0 ? "" : " -c KEY='VALUE'"} --json`,
    "The user wrote: $ARGUMENTS",
    ...(values.length === 0 ? [] : [`${PASSING}\n${values.join("\n")}`]),
    "Add no pipe, redirection or second command. Do not do its steps yourself. Tell the user how it ended; if a step is blocked, show them the command that its error names.",
  ].join("\n\n");
}

const PASSING = "Keys, each with its own -c, without a single quote in the value; leave out what the user did not say:";

/** The values that the caller may pass: the inputs, then the names of the context. */
function valuesOf({ inputs, context }: Recipe): readonly string[] {
  const named = Object.entries(inputs).map(([name, { type, required, description, default: usual }]) => {
    const need = required && usual === undefined ? ", required" : shown(usual);
    return `- ${plain(name)} (${type}${need})${description === "" ? "" : `: ${plain(description)}`}`;
  });
  const others = Object.entries(context).filter(([name]) => !Object.hasOwn(inputs, name));
  return [...named, ...others.map(([name, value]) => `- ${plain(name)}${usualOf(value)}`)].slice(0, MAX_VALUES);
}

const usualOf = (value: unknown) => (shown(value) === "" ? "" : ` (${shown(value).slice(2)})`);

const shown = (value: unknown) =>
  value === undefined || value === null || value === "" ? "" : `, usually ${plain(JSON.stringify(value)).slice(0, 60)}`;

/** One line in which no agent finds a command to run or a file to read. */
const plain = (text: string) =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[`!@$<>{}]/g, "")
    .trim()
    .slice(0, MAX_WORDS);
