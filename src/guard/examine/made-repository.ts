import { dirname, join } from "node:path";
import { realPath } from "../../lib/real-path.ts";
import { type ShellExamination, report } from "./examination.ts";
import { isUnder, mayBeMade } from "./made-paths.ts";
import { nearestRepository } from "../../lib/nearest-repository.ts";

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
