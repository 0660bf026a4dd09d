import { posix } from "node:path";

const FILES = ["GNUmakefile", "makefile", "Makefile", "justfile", "Justfile", ".justfile"];

export interface Recipes {
  readonly lines: readonly string[];
  /** Targets that make does not run if a file of that name is there. */
  readonly fileTargets: readonly string[];
  /** Files that the makefile includes. */
  readonly included: readonly string[];
}

interface MakeCall {
  readonly folder: string;
  /** An empty one is the first of the file. */
  readonly target: string;
  /** The makefile, if the command names one. */
  readonly file: string | undefined;
}

/** The command lines that a target of a makefile or justfile runs, with those of the targets it depends on. */
export function recipesOf(call: MakeCall, readPath: (path: string) => string | undefined): Recipes {
  const { folder, target } = call;
  const read = (name: string) => readPath(posix.join(folder, name));
  const file = call.file ?? FILES.find((name) => read(name) !== undefined);
  const own = file === undefined ? undefined : read(file);
  if (file === undefined || own === undefined) return { lines: [], fileTargets: [], included: [] };
  const isJust = /justfile$/i.test(file);
  const included = isJust ? [] : includesOf(own, read);
  const rules = readRules([own, ...included.map((name) => read(name) ?? "")].join("\n"));
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
  return { lines, fileTargets: isJust ? [] : [...seen].filter((name) => !phony.has(name)), included };
}

/** What a makefile includes, and what those files do. */
function includesOf(text: string, read: (name: string) => string | undefined): readonly string[] {
  const found = new Set<string>();
  const visit = (part: string): void => {
    for (const [, words = ""] of part.matchAll(/^[-s]?include[\t ]+(.+)$/gm))
      for (const name of words.split(/\s+/)) {
        if (found.has(name) || name === "" || /[$*#]/.test(name)) continue;
        found.add(name);
        visit(read(name) ?? "");
      }
  };
  visit(text);
  return [...found];
}

interface Rule {
  readonly needs: string[];
  readonly lines: string[];
}

function readRules(text: string): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>();
  const plainVariables = variableReader(text);
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

/** Puts in what a variable was set to. If that is not known, the rest of the line can still be read. */
function variableReader(text: string): (line: string) => string {
  const values = new Map<string, string>([["MAKE", "make"]]);
  for (const [, name = "", value = ""] of text.matchAll(/^(\w+)[\t ]*[:?]{0,2}=[\t ]*([^$#\n]*)$/gm))
    values.set(name, value.trim());
  return (line) => line.replaceAll(/\$[({]([^)}]*)[)}]/g, (_, name: string) => values.get(name) ?? '"$make_variable"');
}
