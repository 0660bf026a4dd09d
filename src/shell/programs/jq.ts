import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word } from "../model/word.ts";

/** jq: its filter may show the environment or load modules. Its operands are read. */
export function jqEffects(given: Arguments, words: readonly Word[]): readonly Effect[] {
  const { named, rest } = takeNamed(words);
  const fromFile = given.options.some(({ name }) => name === "-f" || name === "--from-file");
  const operands = given.operands.filter((operand) => rest.includes(operand));
  const literal = given.options.some(({ name }) => name === "--args" || name === "--jsonargs");
  const filter = fromFile ? undefined : operands[0];
  const files = literal ? [] : operands.slice(fromFile ? 0 : 1);
  return [
    ...(filter === undefined ? [] : filterEffects(filter.text)),
    ...(fromFile ? [doubt("jq-filter", "the filter is in a file")] : []),
    ...named,
    ...files.map((file): Effect => ({ kind: "read", word: file })),
  ];
}

function filterEffects(filter: string): readonly Effect[] {
  if (filter.includes(UNKNOWN)) return [doubt("jq-filter", "the jq filter is only known at run time")];
  if (filter.length > 8000) return [doubt("jq-filter", "the jq filter is too long to check")];
  const code = filter.replace(/"(?:\\.|[^"\\])*"/g, (literal) => (literal.includes("\\(") ? literal : '""'));
  if (/\$ENV\b|(?<![.\w$"])env\b|\$__prog|\bstrenv\b|\benvsubst\b/.test(code))
    return [doubt("secret-environment", "the filter reads the environment")];
  return /(?<![.\w$])(?:import|include|input_filename|get_search_list|load|eval)\b|\bload_\w+/.test(code)
    ? [doubt("jq-modules", "the filter loads more code")]
    : [];
}

/** `--arg name value` and similar options take two words. */
function takeNamed(words: readonly Word[]): { readonly named: readonly Effect[]; readonly rest: readonly Word[] } {
  const named: Effect[] = [];
  const rest: Word[] = [];
  for (let index = 0; index < words.length; index++) {
    const option = words[index];
    if (option === undefined) break;
    if (!/^--(?:arg|argjson|slurpfile|rawfile)$/.test(option.text)) {
      rest.push(option);
      continue;
    }
    const value = words[index + 2];
    if (value !== undefined && option.text.endsWith("file")) named.push({ kind: "read", word: value });
    index += 2;
  }
  return { named, rest };
}
