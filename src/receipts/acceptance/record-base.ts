import { lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, isAbsolute, join, posix, relative, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { removeTree } from "../../lib/files/folder-tree.ts";
import { findProgram } from "../../lib/path/find-program.ts";
import { isInside } from "../../lib/path/inside.ts";
import { ownerLife, ownFolder } from "../../lib/process/folder-owner.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import {
  type CheckBase,
  type DecidingState,
  keepContent,
  type KeptBase,
  openContents,
  readPlain,
  saveBase,
  seeFile,
  unknownBase,
} from "./check-base.ts";
import { type CheckReading, readCheck } from "./check-command.ts";
import { configTargets, deciders, isDependencyFolder, pathMatcher } from "./deciding-files.ts";
import { dependencyFiles, walkWorkspace } from "./workspace-files.ts";

/** The check of a run or session, and where it takes place. */
interface CheckPlan {
  readonly root: string;
  readonly commands: readonly string[];
  /** Patterns of more files that decide it. */
  readonly keep: readonly string[];
  /** PATH of the check. */
  readonly path: string;
}

const MAX_KEPT_BYTES = 512 * 1024 * 1024;

const MAX_TEXT = 1024 * 1024;

const BATCH = 100;

/**
 * Records what decides a check before the work begins. The contents go to `folder`, which the agent must not be able to
 * write. Never throws: if the workspace cannot be recorded, the base says so, and no changed check can be accepted.
 */
export async function recordBase(plan: CheckPlan, folder: string, signal?: AbortSignal): Promise<KeptBase> {
  removeLeftCopies();
  openContents(folder);
  const base = await readBase(plan, folder, signal).catch((error: unknown) => unknownBase(plan, messageOf(error)));
  saveBase(folder, base);
  return { base, folder, warnings: warningsOf(base) };
}

async function readBase(plan: CheckPlan, folder: string, signal: AbortSignal | undefined): Promise<CheckBase> {
  const { root, commands, keep, path } = plan;
  const walked = await walkWorkspace(root, signal);
  const known = new Set(walked.files);
  const read = (name: string) => (known.has(name) ? textOf(join(root, name)) : undefined);
  const packageFolders = walked.files
    .filter((name) => name === "package.json" || name.endsWith("/package.json"))
    .map((name) => posix.dirname(name).replace(/^\.$/, ""));
  const reading = readCheck(commands, { root, read, packageFolders });
  const scripts = [
    ...new Set([...reading.scripts, ...pathScripts(root, path, reading.programs), ...missingTargets(root, reading)]),
  ];
  const first = { root, keep: [...keep], ...reading, scripts };
  const roleOf = deciders(first);
  const chosen = new Set(walked.files.filter((name) => roleOf(name) !== undefined));
  const configs = [...chosen].filter((name) => roleOf(name) === "config");
  const more = namedByConfig(root, configs, read);
  for (const name of more) if (known.has(name)) chosen.add(name);
  const deciding = { ...first, scripts: [...new Set([...scripts, ...more])].toSorted() };
  const files: Record<string, DecidingState> = {};
  let left = MAX_KEPT_BYTES;
  for (const [at, name] of [...chosen].toSorted().entries()) {
    if (at % BATCH === 0) {
      signal?.throwIfAborted();
      await nextTurn();
    }
    const seen = seeFile(join(root, name));
    if (seen === undefined) continue;
    const { state, content } = seen;
    const kept = content !== undefined && content.length <= left;
    if (state.kind === "file" && kept) {
      keepContent(folder, state.sha256, content);
      left -= content.length;
    }
    files[name] = state.kind === "file" ? { ...state, kept } : state;
  }
  return {
    version: 1,
    root,
    commands: [...commands],
    keep: [...keep],
    scripts: deciding.scripts,
    programs: [...deciding.programs],
    manifestScripts: [...deciding.manifestScripts],
    modules: [...deciding.modules],
    files,
    dependencies: [...walked.dependencies],
    dependencyFiles: await statesOf(root, dependencyFiles(root, walked.dependencies, reading.programs)),
    path,
    outside: outsidePrograms(root, path, reading.programs),
    unknown: null,
  };
}

/** Where a program of the check would be found in the workspace, if PATH leads there. */
function pathScripts(root: string, path: string, programs: readonly string[]): readonly string[] {
  const folders = path
    .split(delimiter)
    .map((folder) => (isAbsolute(folder) ? resolve(folder) : resolve(root, folder)))
    .filter((folder) => isInside(folder, root));
  return folders.flatMap((folder) => programs.map((program) => relative(root, join(folder, program))));
}

/** Targets that are not there yet: make runs them until somebody creates a file of that name. */
const missingTargets = (root: string, { fileTargets }: CheckReading): readonly string[] =>
  fileTargets.filter(
    (path) =>
      !path.split("/").some(isDependencyFolder) && lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined,
  );

/** Files that a configuration names or imports, and what its links point to. */
function namedByConfig(
  root: string,
  files: readonly string[],
  read: (path: string) => string | undefined,
): readonly string[] {
  const known = new Set(files);
  const named = new Set<string>();
  const visit = (file: string): void => {
    for (const target of [...configTargets(file, read(file) ?? "", read), ...linkTarget(root, file)]) {
      if (named.has(target) || known.has(target)) continue;
      named.add(target);
      visit(target);
    }
  };
  files.forEach(visit);
  return [...named];
}

function linkTarget(root: string, file: string): readonly string[] {
  try {
    const target = resolve(root, posix.dirname(file), readlinkSync(join(root, file)));
    return isInside(target, root) ? [relative(root, target)] : [];
  } catch {
    return [];
  }
}

export async function statesOf(root: string, paths: readonly string[], before: CheckBase["dependencyFiles"] = {}) {
  const states: Record<string, DecidingState> = {};
  for (const [at, path] of paths.entries()) {
    if (at % BATCH === 0) await nextTurn();
    const seen = seeFile(join(root, path), before[path]);
    if (seen !== undefined) states[path] = seen.state;
  }
  return states;
}

/** The check's programs outside the workspace, with what changes when they do. */
export function outsidePrograms(root: string, path: string, programs: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const program of programs) {
    const file = findProgram(program, path);
    if (file === undefined || isInside(file, root)) continue;
    const { dev, ino, size, mtimeMs } = statSync(file);
    found[program] = [realpathSync(file), dev, ino, size, mtimeMs].join(":");
  }
  return found;
}

function textOf(file: string): string | undefined {
  const content = readPlain(file);
  return content === undefined || content.length > MAX_TEXT || content.includes(0)
    ? undefined
    : content.toString("utf8");
}

function warningsOf({ keep, files, root, unknown }: CheckBase): readonly string[] {
  if (unknown !== null) return [`cannot record what decides the check, so it cannot be accepted: ${unknown}`];
  const names = Object.keys(files);
  return keep
    .filter((pattern) => !names.some(pathMatcher([pattern], root)))
    .map((pattern) => `--accept-keep ${JSON.stringify(pattern)} matches no file of the workspace`);
}

const PREFIX = "signalbox-check-";

/**
 * A folder for copies of a workspace, outside our home, where checks may not write. It has the name of the workspace,
 * which some tools put into their output, and is removed when disposed.
 */
export function openCopies(id: string, root: string): Disposable & { readonly folder: string } {
  const place = join(realpathSync(tmpdir()), `${PREFIX}${id}`);
  removeTree(place);
  mkdirSync(place, { mode: 0o700 });
  const owned = ownFolder(place);
  return {
    folder: join(place, basename(root) || "workspace"),
    [Symbol.dispose]() {
      owned[Symbol.dispose]();
      removeTree(place);
    },
  };
}

/** Removes the copies of processes that were killed. */
function removeLeftCopies(): void {
  const folder = realpathSync(tmpdir());
  for (const name of readdirSync(folder).filter((each) => each.startsWith(PREFIX))) {
    try {
      if (ownerLife(join(folder, name)) === "dead") removeTree(join(folder, name));
    } catch {
      // Another user's.
    }
  }
}
