import { expandPattern } from "../../lib/expand-pattern.ts";
import { fold } from "../../lib/fold-path.ts";
import { compileGlob, covers, hasGlobFlaw } from "../../lib/glob.ts";

export type ApplyTo =
  /** No `globs`: it applies to everything. */
  { readonly globs?: readonly string[] } | { readonly why: string };

const MAX_GLOBS = 50;
const EVERYTHING = new Set(["**", "**/*", "/**"]);

/** What the `applyTo` of an instruction file says: globs in a text with commas, or in a list. */
export function readApplyTo(value: unknown): ApplyTo {
  if (value === undefined || value === null) return {};
  const list = typeof value === "string" ? splitGlobs(value) : value;
  if (!isTexts(list)) return { why: "its applyTo is neither a text nor a list of texts" };
  const given = list.map((glob) => glob.trim()).filter((glob) => glob !== "");
  if (given.length === 0 || given.some((glob) => EVERYTHING.has(glob))) return {};
  const globs = given.flatMap((glob) => expandPattern(glob));
  const wrong = globs.find((glob) => glob.startsWith("!") || hasGlobFlaw(glob));
  if (wrong !== undefined) return { why: `its applyTo has a pattern that is not supported: ${wrong.slice(0, 80)}` };
  return globs.length > MAX_GLOBS ? { why: `its applyTo has more than ${MAX_GLOBS} patterns` } : { globs };
}

/** Whether a file of the workspace is among those that the globs name. */
export function matchesGlobs(path: string, globs: readonly string[], place: { root: string; home: string }): boolean {
  const folded = fold(path);
  return globs.some((glob) => covers(compileGlob(glob, place), folded));
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** Splits at commas that are not between braces. */
function splitGlobs(text: string): readonly string[] {
  const globs = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "{") depth++;
    if (character === "}") depth = Math.max(0, depth - 1);
    if (character === "," && depth === 0) globs.push("");
    else globs[globs.length - 1] += character;
  }
  return globs;
}
