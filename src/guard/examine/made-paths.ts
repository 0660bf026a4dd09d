import { dirname, join } from "node:path";
import { realPath } from "../../lib/path/real-path.ts";
import { nearestRepository } from "../../lib/path/workspace.ts";
import type { Effect } from "../../shell/model/effect.ts";
import { UNKNOWN, type Word } from "../../shell/model/word.ts";
import { type MadePath, type Place, report, type ShellExamination } from "./examination.ts";

/**
 * Git uses the first repository it finds on its way up, and a script can create one before it calls git. Checks the
 * whole script regardless of order, because parts of it may run in the background.
 */
export function reportMadeRepositories(exam: ShellExamination): void {
  for (const { folder, command } of exam.git.uses) {
    const because = foldersSearched(folder, exam)
      .map((searched) => objection(searched, exam))
      .find((found) => found !== undefined);
    if (because !== undefined)
      report(exam, {
        verdict: "ask",
        code: "git-repository",
        rule: "effect:git-repository",
        because,
        fragment: command,
      });
  }
}

/**
 * The folders git searches before it finds an existing repository. `.git` in a folder is tried before the folder
 * itself.
 */
function foldersSearched(from: string, { workspaceRoot, machine }: ShellExamination): readonly string[] {
  const here = realPath(from, "/", machine.readLink);
  const found = machine.kind === undefined ? undefined : nearestRepository(here, machine.kind);
  const top = machine.kind === undefined ? realPath(workspaceRoot, "/", machine.readLink) : found?.folder;
  const folders: string[] = [];
  for (let folder = here; folder !== top && folder !== "/"; folder = dirname(folder)) folders.push(folder);
  return folders;
}

function objection(folder: string, exam: ShellExamination): string | undefined {
  const { machine, made, git, workspaceRoot } = exam;
  if (made.some(({ tree, path }) => tree && isUnder(folder, path)))
    return `the same command writes files with unknown names to ${folder}, and git could take its settings from a repository among them`;
  const root = realPath(workspaceRoot, "/", machine.readLink);
  const absent = machine.kind?.(root) !== undefined && machine.kind(folder) === undefined;
  if (git.checksOut && absent && !git.worktrees.includes(folder))
    return `${folder} does not exist yet, and git would take its settings from a repository that the same command checks out`;
  const may = (name: string) => machine.kind?.(join(folder, name)) !== undefined || mayBeMade(name, folder, exam);
  return may("HEAD") && ((may("objects") && may("refs")) || may("commondir"))
    ? `the same command can turn ${folder} into a repository, whose settings can run programs`
    : undefined;
}

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
function isUnder(path: string, pattern: string): boolean {
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
function mayBeMade(name: string, folder: string, { made }: ShellExamination): boolean {
  const linked = made.some(({ tree }) => tree);
  const wanted = folder.split("/").length;
  return made.some(({ path }) => {
    const parts = path.split("/");
    if (parts.some((part) => !WILD.test(part) && isCalled(name, part))) return true;
    if (linked) return parts.some((part) => isCalled(name, part));
    return parts.length > wanted && isUnder(`${folder}/${name}`, parts.slice(0, wanted + 1).join("/"));
  });
}
