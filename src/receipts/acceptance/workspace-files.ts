import { type Dirent, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { isInside } from "../../lib/path/inside.ts";
import { isDependencyFolder, isPrivateFolder, isPythonRunner, runnerPackages } from "./deciding-files.ts";

/** What a workspace holds. Paths are relative to it. */
interface Walked {
  /** Files, links, and everything else that is not a folder. */
  readonly files: readonly string[];
  /** Folders that are not entered: dependencies and caches. */
  readonly dependencies: readonly string[];
  /** Repositories inside, which are entered. */
  readonly repositories: readonly string[];
}

const MAX_ENTRIES = 500_000;

const MAX_MS = 30_000;

const BATCH = 200;

/** The workspace is too large to be compared, or cannot be read. */
class WorkspaceTooLarge extends Error {}

/** Lists a workspace without following links. Throws when that would take too long. */
export async function walkWorkspace(root: string, signal?: AbortSignal): Promise<Walked> {
  const files: string[] = [];
  const dependencies: string[] = [];
  const repositories: string[] = [];
  const folders = [""];
  const started = performance.now();
  for (let count = 0, folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (++count % BATCH === 0) {
      signal?.throwIfAborted();
      await nextTurn();
    }
    if (files.length > MAX_ENTRIES) throw new WorkspaceTooLarge(`it has more than ${MAX_ENTRIES} files`);
    if (performance.now() - started > MAX_MS) throw new WorkspaceTooLarge(`listing it takes longer than ${MAX_MS} ms`);
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) {
        if (entry.name !== ".git") files.push(path);
      } else if (isPrivateFolder(entry.name)) repositories.push(folder);
      else if (isDependencyFolder(entry.name) || isCache(join(root, path))) dependencies.push(path);
      else folders.push(path);
    }
  }
  return { files: files.toSorted(), dependencies: dependencies.toSorted(), repositories };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Unreadable for us, and for the check too. If it decides something, the check fails.
    return [];
  }
}

/** Build tools mark their output folders with this file, and Python its environments with the other. */
const isCache = (folder: string) => existsSync(join(folder, "CACHEDIR.TAG")) || existsSync(join(folder, "pyvenv.cfg"));

/** At most so many files of dependencies are compared. Runners with their own dependencies have a few thousand. */
const MAX_FILES = 20_000;

const MAX_PACKAGES = 400;

/**
 * The files in dependency folders that decide what a check's programs do: the programs themselves, the packages they
 * belong to, and what those packages depend on. Paths are relative to the workspace.
 */
export function dependencyFiles(
  root: string,
  folders: readonly string[],
  programs: readonly string[],
): readonly string[] {
  const found: string[] = [];
  for (const folder of folders) {
    const at = join(root, folder);
    if (folder.endsWith("node_modules")) found.push(...nodeFiles(at, programs).map((path) => `${folder}/${path}`));
    else if (existsSync(join(at, "pyvenv.cfg")))
      found.push(...pythonFiles(at, programs).map((path) => `${folder}/${path}`));
    if (found.length > MAX_FILES) break;
  }
  return found.slice(0, MAX_FILES);
}

function nodeFiles(folder: string, programs: readonly string[]): readonly string[] {
  const started = programs.filter((program) => isThere(join(folder, ".bin", program)));
  const owners = started.flatMap((program) => packageOf(folder, program) ?? []);
  const wanted = [...new Set([...owners, ...runnerPackages(programs)])];
  const packages = new Set<string>();
  for (let name = wanted.pop(); name !== undefined && packages.size < MAX_PACKAGES; name = wanted.pop()) {
    if (packages.has(name) || !existsSync(join(folder, name, "package.json"))) continue;
    packages.add(name);
    wanted.push(...needs(join(folder, name, "package.json")));
  }
  // Without a runner of its own, a check finds nothing here that decides it.
  return [...started.map((program) => `.bin/${program}`), ...[...packages].flatMap((name) => filesBelow(folder, name))];
}

const isThere = (path: string) => {
  try {
    return realpathSync(path) !== "";
  } catch {
    return false;
  }
};

/** `.bin/NAME` is a link into the package it belongs to. */
function packageOf(folder: string, program: string): string | undefined {
  const target = realpathSync(join(folder, ".bin", program));
  const top = realpathSync(folder);
  if (!isInside(target, top)) return undefined;
  const [first = "", second = ""] = relative(top, target).split("/");
  return first.startsWith("@") ? `${first}/${second}` : first === ".bin" ? undefined : first;
}

function needs(manifest: string): readonly string[] {
  try {
    const value = parseJson(readFileSync(manifest, "utf8"));
    const lists = isRecord(value) ? [value["dependencies"], value["optionalDependencies"]] : [];
    return lists.flatMap((list) => (isRecord(list) ? Object.keys(list) : []));
  } catch {
    return [];
  }
}

function pythonFiles(folder: string, programs: readonly string[]): readonly string[] {
  const own = programs.map((program) => `bin/${program}`).filter((path) => isThere(join(folder, path)));
  const libraries = namesIn(join(folder, "lib")).map((name) => `lib/${name}/site-packages`);
  const packages = libraries.flatMap((library) =>
    namesIn(join(folder, library))
      .filter((name) => isPythonRunner(name))
      .flatMap((name) => filesBelow(folder, `${library}/${name}`)),
  );
  return [...own, ...packages];
}

/** Files of a package, without packages inside it and what Python compiles. */
function filesBelow(root: string, path: string): readonly string[] {
  const found: string[] = [];
  const visit = (at: string): void => {
    if (found.length > MAX_FILES) return;
    let entries;
    try {
      entries = readdirSync(join(root, at), { withFileTypes: true });
    } catch {
      found.push(at);
      return;
    }
    for (const entry of entries) {
      if (!entry.isDirectory()) found.push(`${at}/${entry.name}`);
      else if (entry.name !== "__pycache__" && !entry.name.startsWith(".")) visit(`${at}/${entry.name}`);
    }
  };
  visit(path);
  return found;
}
