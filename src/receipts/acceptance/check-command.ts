import { posix } from "node:path";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import type { RawWord, ShellCommand, ShellNode } from "../../shell/model/script.ts";
import { readScript } from "../../shell/parse/read-script.ts";
import { isLikelyWork } from "./deciding-files.ts";
import { readInvocation } from "./read-invocation.ts";

/** What a check runs, as far as its text and the scripts it calls can be read. Paths are relative to the workspace. */
export interface CheckReading {
  /** Files that it executes and whose exit status it takes over. */
  readonly scripts: readonly string[];
  /** Programs that are looked up by name. */
  readonly programs: readonly string[];
  /** Names of scripts in manifests that it runs. */
  readonly manifestScripts: readonly string[];
  /** Modules that it runs with `python -m`. */
  readonly modules: readonly string[];
  /** Targets that make skips if there is a file or folder of that name. */
  readonly fileTargets: readonly string[];
}

/** The workspace when the work began. */
interface BaseTexts {
  readonly root: string;
  /** The text of a file; undefined if there is none, or it is too large to be a script. */
  readonly read: (path: string) => string | undefined;
  /** Folders that have a package.json. */
  readonly packageFolders: readonly string[];
}

const MAX_DEPTH = 6;

/** Reads the commands of a check, and the scripts that they run, as they were when the work began. */
export function readCheck(commands: readonly string[], base: BaseTexts): CheckReading {
  const found = {
    scripts: new Set<string>(),
    programs: new Set<string>(),
    manifestScripts: new Set<string>(),
    modules: new Set<string>(),
    fileTargets: new Set<string>(),
  };
  const seen = new Set<string>();
  const readText = (text: string, folder: string, depth: number): void => {
    const key = `${folder}\0${text}`;
    if (depth > MAX_DEPTH || seen.has(key)) return;
    seen.add(key);
    let current = folder;
    for (const { command, decides } of commandsIn(readScript(text, "sh").nodes)) {
      const words = command.words.map((word) => literal(word, base.root));
      if (words[0] === "cd" && words[1] !== undefined) current = inWorkspace(words[1], current) ?? current;
      else follow(words, { folder: current, decides, depth });
    }
  };
  const follow = (words: readonly (string | undefined)[], at: Place): void => {
    const run = readInvocation(words);
    if (run.program !== undefined) found.programs.add(run.program);
    for (const module of run.modules) found.modules.add(module);
    for (const text of run.texts) readText(text, at.folder, at.depth + 1);
    for (const file of run.scripts) addScript(file, at);
    for (const name of run.manifestScripts) addManifestScript(name, at.depth);
    for (const target of run.targets) {
      const folder = inWorkspace(run.folder ?? ".", at.folder);
      if (folder === undefined) continue;
      const { lines, fileTargets, included } = recipesOf({ folder, target, file: run.makefile }, base.read);
      for (const name of included) addScript(name, { ...at, folder });
      for (const line of lines) readText(line, folder, at.depth + 1);
      for (const name of fileTargets) found.fileTargets.add(inWorkspace(name, folder) ?? "");
    }
  };
  const addScript = (file: string, { folder, decides, depth }: Place): void => {
    const path = inWorkspace(file, folder);
    if (path === undefined || !decides || isWork(path, base) || found.scripts.has(path)) return;
    found.scripts.add(path);
    const text = base.read(path);
    if (text !== undefined && isShell(path, text)) readText(text, folder, depth + 1);
  };
  const addManifestScript = (name: string, depth: number): void => {
    found.manifestScripts.add(name);
    for (const folder of base.packageFolders) {
      const scripts = scriptsIn(base.read(posix.join(folder, "package.json")));
      for (const each of [`pre${name}`, name, `post${name}`])
        if (scripts[each] !== undefined) readText(scripts[each], folder, depth + 1);
    }
  };
  for (const command of commands) readText(command.replaceAll(`${base.root}/`, "./"), "", 0);
  return {
    scripts: [...found.scripts].toSorted(),
    programs: [...found.programs].toSorted(),
    manifestScripts: [...found.manifestScripts].toSorted(),
    modules: [...found.modules].toSorted(),
    fileTargets: [...found.fileTargets].filter((path) => path !== "").toSorted(),
  };
}

interface Place {
  readonly folder: string;
  /** Its exit status becomes the check's, and nothing else looks at its output. */
  readonly decides: boolean;
  readonly depth: number;
}

interface FoundCommand {
  readonly command: ShellCommand;
  readonly decides: boolean;
}

/** Every command, and whether it decides: what a pipe, a substitution or a redirection passes on is judged by others. */
function commandsIn(nodes: readonly ShellNode[], decides = true): readonly FoundCommand[] {
  return nodes.flatMap((node) => {
    if (node.kind === "command") {
      const nested = [...node.words, ...node.assignments.map(({ value }) => value)].flatMap(({ pieces }) =>
        pieces.flatMap((piece) => (piece.kind === "script" || piece.kind === "unknown" ? piece.nodes : [])),
      );
      const toFile = node.redirects.some(({ operator, target }) => operator.includes(">") && !isNull(target));
      return [{ command: node, decides: decides && !toFile }, ...commandsIn(nested, false)];
    }
    if (node.kind === "pipeline") {
      const last = node.nodes.at(-1);
      return [...commandsIn(node.nodes.slice(0, -1), false), ...commandsIn(last === undefined ? [] : [last], decides)];
    }
    return commandsIn(node.nodes, decides);
  });
}

function isNull(target: RawWord): boolean {
  const text = literal(target, "");
  return text === "/dev/null" || /^&?\d$/.test(text ?? "");
}

/** The text of a word; undefined where a part is only known when it runs. The folder itself is known. */
function literal({ pieces }: RawWord, root: string): string | undefined {
  let text = "";
  for (const piece of pieces) {
    if (piece.kind === "text" || piece.kind === "glob") text += piece.text;
    else if (piece.kind === "variable" && piece.name === "PWD" && root !== "") text += ".";
    else return undefined;
  }
  return text;
}

/** A path relative to the workspace; undefined outside of it. */
function inWorkspace(path: string, folder: string): string | undefined {
  if (posix.isAbsolute(path) || path.startsWith("~")) return undefined;
  const full = posix.normalize(posix.join(folder, path)).replace(/^\.$/, "").replace(/\/$/, "");
  return full.startsWith("..") ? undefined : full;
}

/** A script that a manifest publishes is what was worked on, and so is one in a folder of sources. */
function isWork(path: string, { read, packageFolders }: BaseTexts): boolean {
  if (isLikelyWork(path)) return true;
  return packageFolders.some((folder) =>
    publishedFiles(folder, read(posix.join(folder, "package.json"))).includes(path),
  );
}

function publishedFiles(folder: string, text: string | undefined): readonly string[] {
  const manifest = recordIn(text);
  const bin = manifest["bin"];
  const named = [manifest["main"], manifest["module"], ...(isRecord(bin) ? Object.values(bin) : [bin])];
  return named.flatMap((file) => (typeof file === "string" ? [posix.normalize(posix.join(folder, file))] : []));
}

function scriptsIn(text: string | undefined): Readonly<Record<string, string>> {
  const { scripts } = recordIn(text);
  const entries = isRecord(scripts) ? Object.entries(scripts) : [];
  return Object.fromEntries(entries.flatMap(([name, line]) => (typeof line === "string" ? [[name, line]] : [])));
}

function recordIn(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value = text === undefined ? {} : parseJson(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const isShell = (path: string, text: string) =>
  /\.(?:sh|bash|dash|ksh|zsh)$/.test(path) ||
  /^#!.*\b(?:sh|bash|dash|ksh|zsh)\b/.test(text) ||
  (!text.startsWith("#!") && !/\.\w+$/.test(path));

const FILES = ["GNUmakefile", "makefile", "Makefile", "justfile", "Justfile", ".justfile"];

interface Recipes {
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
function recipesOf(call: MakeCall, readPath: (path: string) => string | undefined): Recipes {
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
