import { realPath } from "../../lib/real-path.ts";
import type { Effect } from "../../shell/model/effect.ts";
import type { MadePath, ShellExamination, Place } from "./examination.ts";
import { UNKNOWN, type Word } from "../../shell/model/word.ts";

type Brings = Extract<Effect, { readonly kind: "brings" }>;

/** Notes a write, resolved from each folder that the command may run in. */
export function noteWrite(word: Word, place: Place): void {
  for (const path of pathsOf(word, place)) note({ path, tree: false }, place.exam);
}

type UsesGit = Extract<Effect, { readonly kind: "uses-git" }>;

/** Notes where git is called, and where it creates another work tree. */
export function noteGit({ checksOut, makes }: UsesGit, command: string, place: Place): void {
  const { exam, state } = place;
  if (makes !== undefined) exam.git.worktrees.push(...pathsOf(makes, place));
  if (checksOut) exam.git.checksOut = true;
  for (const folder of [state.cwd, ...state.otherCwds].filter((cwd) => !cwd.includes(UNKNOWN)))
    exam.git.uses.push({ folder, command });
}

/** Notes where a tree or a link appears. A single file is noted by its write. */
export function noteBrought({ source, target, spread }: Brings, place: Place): void {
  const { exam } = place;
  if (pathsOf(source, place).every((path) => isSingleFile(path, exam))) return;
  const name = source.text.split("/").findLast((part) => part !== "") ?? "";
  const itself = spread || name === "." || name === "..";
  for (const path of pathsOf(target, place)) {
    if (itself || exam.machine.kind?.(path) !== "folder") note({ path, tree: true }, exam);
    if (!itself) note({ path: `${path}/${name}`, tree: true }, exam);
  }
}

function note(made: MadePath, { made: all }: ShellExamination): void {
  if (!all.some(({ path, tree }) => path === made.path && tree === made.tree)) all.push(made);
}

/** A file that exists now and that the script does not replace. */
function isSingleFile(path: string, { machine, made }: ShellExamination): boolean {
  return machine.kind?.(path) === "file" && !made.some((each) => isUnder(path, each.path));
}

function pathsOf(word: Word, { exam, state }: Place): readonly string[] {
  const { home } = exam;
  const path = word.text.replaceAll(UNKNOWN, "*").replace(/^~(?=\/|$)/, () => home);
  return [state.cwd, ...state.otherCwds]
    .filter((cwd) => !cwd.includes(UNKNOWN))
    .map((cwd) => realPath(path, cwd, exam.machine.readLink));
}

/** True if a path matches the pattern or is below a match. */
export function isUnder(path: string, pattern: string): boolean {
  const parts = path.split("/");
  const wanted = pattern.split("/").filter((part, index) => index === 0 || part !== "");
  return wanted.length <= parts.length && wanted.every((part, index) => isCalled(parts[index] ?? "", part));
}

const WILD = /[*?[]/;

/** True if a name matches a word that may have wildcards. Ignores case, since the disk may. */
function isCalled(name: string, pattern: string): boolean {
  if (!WILD.test(pattern)) return name.toLowerCase() === pattern.toLowerCase();
  // `.*` stands for a completely unknown name.
  if (pattern === ".*") return true;
  const source = pattern
    .replaceAll(/[\\^$.|+(){}]/g, String.raw`\$&`)
    .replaceAll(/\[[^\]]*\]?|\?/g, ".")
    .replaceAll(/\*+/g, ".*");
  return new RegExp(`^${source}$`, "i").test(name);
}

/**
 * True if something with this name may be created in a folder. A literal name counts wherever it is created, because a
 * link may lead there.
 */
export function mayBeMade(name: string, folder: string, { made }: ShellExamination): boolean {
  const linked = made.some(({ tree }) => tree);
  const wanted = folder.split("/").length;
  return made.some(({ path }) => {
    const parts = path.split("/");
    if (parts.some((part) => !WILD.test(part) && isCalled(name, part))) return true;
    if (linked) return parts.some((part) => isCalled(name, part));
    return parts.length > wanted && isUnder(`${folder}/${name}`, parts.slice(0, wanted + 1).join("/"));
  });
}
