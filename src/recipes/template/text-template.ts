import type { Context } from "../recipe/recipe.ts";
import { lookUp, PATH, textOf } from "./text-of.ts";

/** `{{name}}`, without spaces. */
const REFERENCE = new RegExp(String.raw`\{\{(${PATH})\}\}`, "g");

/** The names that a text refers to, each once, in order. */
export function referencesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(REFERENCE)].map((match) => match[1] ?? ""))];
}

/** Text with the values put in. A missing value becomes nothing and is reported. Values are not expanded again. */
export function fillText(text: string, context: Context, onMissing: (name: string) => void = () => {}): string {
  return text.replace(REFERENCE, (_, name: string) => {
    const value = lookUp(context, name);
    if (value === undefined) onMissing(name);
    return textOf(value);
  });
}
