import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const project = join(import.meta.dirname, "..");

/** One source file importing another. Paths are relative to the project root. */
export interface ImportEdge {
  readonly from: string;
  readonly to: string;
  /** Erased at run time. */
  readonly typeOnly: boolean;
  /** A dynamic import. */
  readonly dynamic: boolean;
}

/** The files of src, except tests. */
export function sourceFiles(root: string = project): readonly string[] {
  return globSync("src/**/*.ts", { cwd: root })
    .filter((file) => !file.endsWith(".test.ts"))
    .toSorted();
}

const IMPORT =
  /^(?:import|export)\s+(?<type>type\s+)?(?<names>[^;"']*?)\s*from\s*"(?<from>\.[^"]+)"|^import\s+"(?<bare>\.[^"]+)"|\bimport\(\s*"(?<later>\.[^"]+)"/gm;

/** Every import between files of the project. Several imports of one file by another are separate edges. */
export function edges(files: readonly string[] = sourceFiles(), root: string = project): readonly ImportEdge[] {
  return files.flatMap((from) =>
    [...readFileSync(join(root, from), "utf8").matchAll(IMPORT)].map(({ groups = {} }): ImportEdge => {
      const { type, names = "", from: path, bare, later } = groups;
      const target = path ?? bare ?? later ?? "";
      return {
        from,
        to: relative(root, resolve(root, dirname(from), target)),
        typeOnly: type !== undefined || isTypesOnly(names),
        dynamic: later !== undefined,
      };
    }),
  );
}

/** `{ type A, type B }` leaves nothing at run time. */
function isTypesOnly(names: string): boolean {
  const inner = /^\{(.*)\}$/s.exec(names.trim())?.[1];
  const parts = inner?.split(",").map((part) => part.trim());
  return parts?.filter((part) => part !== "").every((part) => part.startsWith("type ")) === true;
}

const EXPORTED_TYPE = /^export (?:declare )?(?:interface|type|(?:abstract )?class) (?<name>\w+)/gm;

/** Every exported type name, and the files that export a type with that name. */
export function exportedTypes(
  files: readonly string[],
  root: string = project,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of files)
    for (const { groups } of readFileSync(join(root, file), "utf8").matchAll(EXPORTED_TYPE)) {
      const name = groups?.["name"] ?? "";
      found.set(name, [...(found.get(name) ?? []), file]);
    }
  return found;
}

/** The room of a file: its folder in src, its own name at the top of src, or its path elsewhere. */
export function roomOf(file: string): string {
  const [top, room] = file.split("/");
  return top === "src" && room !== undefined ? room : file;
}

/** The folder of a file inside src; the files at the top of a room count as a folder too. */
export function folderOf(file: string): string {
  return dirname(file).replace(/^src\/?/, "");
}

/** Files of each room that other rooms import, by room. */
export function doors(all: readonly ImportEdge[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { from, to } of all) {
    if (roomOf(from) === roomOf(to)) continue;
    const files = found.get(roomOf(to)) ?? new Set();
    found.set(roomOf(to), files.add(to));
  }
  return found;
}

/** Pairs of folders of one room that import each other, each pair once, as `a <-> b`. */
export function mutualFolders(all: readonly ImportEdge[]): readonly string[] {
  const arrows = new Set(
    all
      .filter(({ from, to }) => roomOf(from) === roomOf(to) && folderOf(from) !== folderOf(to))
      .map(({ from, to }) => `${folderOf(from)} ${folderOf(to)}`),
  );
  return [...arrows].flatMap((arrow) => {
    const [from = "", to = ""] = arrow.split(" ");
    return from < to && arrows.has(`${to} ${from}`) ? [`${from} <-> ${to}`] : [];
  });
}

/**
 * Groups of files that reach each other through the given edges (strongly connected components of two files or more).
 */
export function cycles(given: readonly ImportEdge[]): readonly (readonly string[])[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of given) {
    const known = next.get(from);
    if (known === undefined) next.set(from, [to]);
    else known.push(to);
  }
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  // Tarjan's algorithm: a file whose lowest reachable number is its own closes a group.
  const visit = (file: string): number => {
    const number = numbers.size;
    let low = number;
    numbers.set(file, number);
    lowest.set(file, number);
    open.push(file);
    for (const target of next.get(file) ?? []) {
      if (!numbers.has(target)) low = Math.min(low, visit(target));
      else if (lowest.has(target)) low = Math.min(low, numbers.get(target) ?? number);
    }
    if (low < number) return low;
    const group = open.splice(open.indexOf(file));
    for (const member of group) lowest.delete(member);
    if (group.length > 1) groups.push(group.toSorted());
    return low;
  };
  for (const file of next.keys()) if (!numbers.has(file)) visit(file);
  return groups;
}
