import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { join, posix } from "node:path";
import type { DecidingFile } from "../../contract/seal.ts";
import { type CheckBase, type DecidingState, type KeptBase, keptContent, readPlain, seeFile } from "./check-base.ts";
import { decidingPart, type CheckedEntries } from "./deciding-parts.ts";
import { deciders, pathMatcher, type Role, runnerPackages } from "./deciding-files.ts";
import { dependencyFiles, walkWorkspace } from "./workspace-files.ts";
import { outsidePrograms, statesOf } from "./record-base.ts";

/** One deciding file that is not as it was. */
export interface DecidingChange extends DecidingFile {
  readonly role: Role | "dependency" | "program";
  /** What to put back; undefined if there was nothing, or it cannot be put back. */
  readonly before?: DecidingState | undefined;
  /** There is no copy of what it was. */
  readonly isLost?: boolean;
}

export interface BaseComparison {
  /** Changes that the user did not allow. */
  readonly changes: readonly DecidingChange[];
  /** New test files, where the workspace had tests before. They are no change, but they may hide the others. */
  readonly addedTests: readonly string[];
  /** Patterns of allowed changes that match no file, then or now. */
  readonly idlePatterns: readonly string[];
  /** Why nothing could be compared. */
  readonly unknown?: string | undefined;
}

/** Which entries of manifests and lockfiles count. */
export const checkedEntries = ({ manifestScripts, programs }: CheckBase): CheckedEntries => ({
  scripts: manifestScripts,
  packages: runnerPackages(programs),
});

/** Compares what decides the check with what it was when the work began. `allowed`: patterns of what may change. */
export async function compareWithBase(
  kept: KeptBase,
  allowed: readonly string[],
  signal?: AbortSignal,
): Promise<BaseComparison> {
  const { base } = kept;
  const { root } = base;
  const roleOf = deciders(base);
  const walked = await walkWorkspace(root, signal);
  const present = walked.files.filter((path) => roleOf(path) !== undefined);
  const names = [...new Set([...Object.keys(base.files), ...present])].toSorted();
  const isAllowed = pathMatcher(allowed, root);
  const found = [
    ...names.flatMap((path) => changeOf(path, roleOf(path) ?? "script", kept)),
    ...base.scripts.flatMap((path) => newFolder(path, base)),
  ];
  const changes = [...found, ...(await dependencyChanges(base, walked.dependencies)), ...programChanges(base)].filter(
    ({ path }) => !isAllowed(path),
  );
  const hadTests = Object.keys(base.files).some((path) => roleOf(path) === "test");
  const added = present.filter((path) => roleOf(path) === "test" && base.files[path] === undefined && !isAllowed(path));
  const all = [...walked.files, ...Object.keys(base.files), ...Object.keys(base.dependencyFiles)];
  const idlePatterns = allowed.filter((pattern) => !all.some(pathMatcher([pattern], root)));
  return { changes, addedTests: hadTests ? added : [], idlePatterns };
}

function changeOf(path: string, role: Role, kept: KeptBase): readonly DecidingChange[] {
  const { base } = kept;
  const before = base.files[path];
  const now = seeFile(join(base.root, path), before)?.state;
  if (before === undefined)
    return now === undefined || !countsWhenNew(path, role, base) ? [] : [{ path, how: "created", role }];
  // A module that was there already is work.
  if (role === "shadow") return [];
  const how = isBelowLink(base.root, path) ? "replaced by a link" : differenceOf(before, now);
  if (how === undefined) return [];
  const lost = before.kind === "unread" || (before.kind === "file" && !before.kept);
  const isPartial = role === "part" && how === "edited" && before.kind === "file" && !lost;
  if (isPartial && samePart(path, before.sha256, kept)) return [];
  return [{ path, how, role, before, ...(lost ? { isLost: true } : {}) }];
}

/** A folder in the place of a script that was not there: make takes it for a target that is up to date. */
function newFolder(path: string, { root, files }: CheckBase): readonly DecidingChange[] {
  const isFolder = lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && files[path] === undefined ? [{ path, how: "created", role: "script" }] : [];
}

/** How a file differs from what it was; undefined if it does not. */
function differenceOf(before: DecidingState, now: DecidingState | undefined): DecidingChange["how"] | undefined {
  if (now === undefined) return "deleted";
  if (isSameState(before, now)) return undefined;
  return now.kind === "link" ? "replaced by a link" : "edited";
}

function samePart(path: string, sha256: string, { base, folder }: KeptBase): boolean {
  const entries = checkedEntries(base);
  const present = readPlain(join(base.root, path))?.toString("utf8") ?? "";
  return (
    decidingPart(path, present, entries) === decidingPart(path, keptContent(folder, sha256).toString("utf8"), entries)
  );
}

/** A new test is no change. A new manifest counts only if it has entries that decide the check. */
function countsWhenNew(path: string, role: Role, base: CheckBase): boolean {
  if (role === "test") return false;
  if (role !== "part") return true;
  const text = readPlain(join(base.root, path))?.toString("utf8") ?? "";
  const empty = path.endsWith(".json") || path.endsWith(".lock") ? "{}" : "";
  if (path.endsWith(".rs") || /lock/.test(posix.basename(path))) return false;
  return decidingPart(path, text, checkedEntries(base)) !== decidingPart(path, empty, checkedEntries(base));
}

/** Whether one of the folders above became a link. The file that is found there now is another one. */
function isBelowLink(root: string, path: string): boolean {
  for (let folder = posix.dirname(path); folder !== "."; folder = posix.dirname(folder))
    if (lstatSync(join(root, folder), { throwIfNoEntry: false })?.isSymbolicLink() === true) return true;
  return false;
}

/** Nothing of a dependency is kept, so what changed there cannot be put back. */
async function dependencyChanges(base: CheckBase, folders: readonly string[]): Promise<readonly DecidingChange[]> {
  const { root, programs, dependencyFiles: before } = base;
  const known = folders.filter((folder) => base.dependencies.includes(folder));
  const now = await statesOf(root, dependencyFiles(root, known, programs), before);
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const changed = names.flatMap((path): readonly DecidingChange[] => {
    const [old, present] = [before[path], now[path] ?? seeFile(join(root, path))?.state];
    if (old !== undefined && present !== undefined && isSameState(old, present)) return [];
    const how = old === undefined ? "created" : (differenceOf(old, present) ?? "edited");
    return [{ path, how, role: "dependency", isLost: true }];
  });
  return [
    ...changed,
    ...folders.filter((folder) => !known.includes(folder)).flatMap((folder) => plantedFolder(folder, base)),
  ];
}

function isSameState(one: DecidingState, other: DecidingState): boolean {
  if (one.kind === "file" && other.kind === "file")
    return one.sha256 === other.sha256 && one.executable === other.executable;
  if (one.kind === "link" && other.kind === "link") return one.target === other.target;
  return one.kind === "unread" && other.kind === "unread" && one.stat === other.stat;
}

/** Dependencies that were installed meanwhile: fine beside a manifest, if the runner comes from a package. */
function plantedFolder(folder: string, { root, files, programs }: CheckBase): readonly DecidingChange[] {
  if (!folder.endsWith("node_modules")) return [];
  const planted = (path: string): DecidingChange => ({ path, how: "created", role: "dependency", isLost: true });
  if (files[posix.join(posix.dirname(folder), "package.json")] === undefined) return [planted(folder)];
  return programs
    .map((program) => `${folder}/.bin/${program}`)
    .filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined && !isInstalled(root, path))
    .map(planted);
}

function isInstalled(root: string, path: string): boolean {
  try {
    const target = realpathSync(join(root, path));
    if (readlinkSync(join(root, path)).startsWith("/")) return false;
    for (let at = posix.dirname(target); at.length > root.length; at = posix.dirname(at))
      if (existsSync(join(at, "package.json"))) return true;
    return false;
  } catch {
    return false;
  }
}

/** Programs outside the workspace. With another PATH than before, others are found without any change. */
function programChanges({ root, path, programs, outside }: CheckBase): readonly DecidingChange[] {
  const now = outsidePrograms(root, path, programs);
  return Object.entries(outside).flatMap(([program, before]): readonly DecidingChange[] =>
    now[program] === undefined || now[program] === before
      ? []
      : [{ path: now[program].split(":")[0] ?? program, how: "edited", role: "program", isLost: true }],
  );
}
