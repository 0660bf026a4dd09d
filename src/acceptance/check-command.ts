import { posix } from "node:path";
import { readScript } from "../shell/parse/read-script.ts";
import type { RawWord, ShellCommand, ShellNode } from "../shell/model/script.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import { isLikelyWork } from "./deciding-names.ts";
import { recipesOf } from "./make-recipes.ts";
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
export interface BaseTexts {
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
