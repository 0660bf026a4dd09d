import { CONCEPTS } from "./concept.ts";
import { GRAMMAR } from "./grammar.ts";
import { conceptNumber } from "./matcher.ts";

/** How far apart the parts of a rule may be. */
type Scope = "clause" | "sentence" | "near";

export interface ScreenRule {
  /** The kind of finding; undefined if the rule derives a concept. */
  readonly kind: string | undefined;
  readonly derives: number;
  readonly points: number;
  readonly scope: Scope;
  readonly within: number;
  readonly ordered: boolean;
  readonly groups: readonly (readonly number[])[];
  /** The groups as bit masks, `WORDS` numbers each. */
  readonly masks: Int32Array;
}

/** The number of 32-bit words needed for one bit per concept. */
export const WORDS = Math.ceil(CONCEPTS.length / 32);

/** Whether the concepts seen in a text, as bits, include one of every group. Rules out most rules. */
export function isPossible({ masks }: ScreenRule, seen: Int32Array): boolean {
  for (let group = 0; group < masks.length; group += WORDS) {
    let some = 0;
    for (let word = 0; word < WORDS; word++) some |= (masks[group + word] ?? 0) & (seen[word] ?? 0);
    if (some === 0) return false;
  }
  return true;
}

/** Rules by the concepts that can complete them. */
export function rulesByConcept(): readonly (readonly ScreenRule[])[] {
  return (parsed ??= index(parseGrammar(GRAMMAR)));
}

/** Parses the rules of a grammar. Throws on an invalid line, since the grammar is ours. */
export function parseGrammar(grammar: string): ScreenRule[] {
  const lines = grammar.split("\n").filter((line) => line !== "");
  const names = new Map(
    lines.filter((line) => line.startsWith("$")).map((line) => [nameOf(line), line.split(" = ")[1] ?? ""]),
  );
  const spelledOut = (line: string) => line.replaceAll(/\$\w+/g, (name) => names.get(name) ?? name);
  return lines.filter((line) => !line.startsWith("$")).map((line) => parseRule(spelledOut(line)));
}

const nameOf = (line: string): string => line.slice(0, line.indexOf(" "));

let parsed: readonly (readonly ScreenRule[])[] | undefined;

function parseRule(line: string): ScreenRule {
  const [head = "", tail = ""] = line.split(": ");
  const words = head.split(" ");
  const derived = words[0]?.startsWith("=") ?? false;
  if (derived) words.splice(1, 0, "0");
  const [name = "", points, scope, within] = words;
  const ordered = tail.startsWith("> ");
  const groups = (ordered ? tail.slice(2) : tail).split(" ").map((group) => group.split("|").map(conceptNumber));
  // The smallest group is the most likely to be missing, so checking it first saves work.
  if (!ordered) groups.sort((a, b) => a.length - b.length);
  if (scope !== "clause" && scope !== "sentence" && scope !== "near") throw new Error(`no scope in rule: ${line}`);
  return {
    kind: derived ? undefined : name,
    derives: derived ? conceptNumber(name.slice(1)) : -1,
    points: Number(points),
    scope,
    within: Number(within),
    ordered,
    groups,
    masks: masksOf(groups),
  };
}

function masksOf(groups: readonly (readonly number[])[]): Int32Array {
  const masks = new Int32Array(groups.length * WORDS);
  groups.forEach((group, at) => {
    for (const concept of group) {
      const word = at * WORDS + (concept >> 5);
      masks[word] = (masks[word] ?? 0) | (1 << (concept & 31));
    }
  });
  return masks;
}

function index(rules: readonly ScreenRule[]): ScreenRule[][] {
  const table: ScreenRule[][] = [];
  for (const rule of rules) {
    for (const concept of new Set(rule.groups.flat())) (table[concept] ??= []).push(rule);
  }
  return table;
}
