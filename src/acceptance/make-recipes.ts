import { posix } from "node:path";

const FILES = ["GNUmakefile", "makefile", "Makefile", "justfile", "Justfile", ".justfile"];

export interface Recipes {
  readonly lines: readonly string[];
  /** Targets that make does not run if a file of that name is there. */
  readonly fileTargets: readonly string[];
}

/**
 * The command lines that a target of a makefile or justfile runs, with those of the targets it depends on. An empty
 * target is the first of the file. Empty if there is no such file.
 */
export function recipesOf(folder: string, target: string, read: (path: string) => string | undefined): Recipes {
  const file = FILES.find((name) => read(posix.join(folder, name)) !== undefined);
  if (file === undefined) return { lines: [], fileTargets: [] };
  const rules = readRules(read(posix.join(folder, file)) ?? "");
  const wanted = target === "" ? [...rules.keys()].find((name) => !name.startsWith(".")) : target;
  const lines: string[] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    const rule = rules.get(name);
    if (rule === undefined || seen.has(name)) return;
    seen.add(name);
    for (const needed of rule.needs) visit(needed);
    lines.push(...rule.lines);
  };
  if (wanted !== undefined) visit(wanted);
  const phony = new Set(rules.get(".PHONY")?.needs);
  const isJust = /justfile$/i.test(file);
  return { lines, fileTargets: isJust ? [] : [...seen].filter((name) => !phony.has(name)) };
}

interface Rule {
  readonly needs: string[];
  readonly lines: string[];
}

function readRules(text: string): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>();
  let current: readonly Rule[] = [];
  for (const line of text.replaceAll(/\\\n/g, " ").split("\n")) {
    const [, recipe] = /^[\t ]+[@+-]*(.*)$/.exec(line) ?? [];
    if (recipe !== undefined) for (const rule of current) rule.lines.push(plainVariables(recipe));
    const [, names, needs, inline] = /^([\w./ -]+?)\s*:(?![=:])([^;=]*)(?:;(.*))?$/.exec(line) ?? [];
    if (names === undefined) continue;
    current = names.split(/\s+/).map((name) => rules.get(name) ?? { needs: [], lines: [] });
    names.split(/\s+/).forEach((name, at) => {
      const rule = current[at];
      if (rule !== undefined) rules.set(name, rule);
      rule?.needs.push(...(needs ?? "").split(/\s+/).filter((word) => word !== "" && word !== "|"));
      if (inline !== undefined) rule?.lines.push(plainVariables(inline.replace(/^[\s@+-]+/, "")));
    });
  }
  return rules;
}

/** What a variable of make holds is not known, but the rest of the line can be read. */
const plainVariables = (line: string) =>
  line.replaceAll(/\$\((?:MAKE)\)/g, "make").replaceAll(/\$[({][^)}]*[)}]/g, '"$make_variable"');
