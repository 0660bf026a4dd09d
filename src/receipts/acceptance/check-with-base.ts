import { constants, copyFileSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BaseCheck } from "../../contract/seal.ts";
import { removeTree } from "../../lib/files/folder-tree.ts";
import { isInside } from "../../lib/path/inside.ts";
import { gitLine, headCommit, runGit } from "../../lib/process/run-git.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { type KeptBase, keptContent, readPlain } from "./check-base.ts";
import { type BaseComparison, checkedEntries, compareWithBase, type DecidingChange } from "./compare-base.ts";
import { withBasePart } from "./deciding-parts.ts";
import { openCopies } from "./record-base.ts";
import { walkWorkspace } from "./workspace-files.ts";

/** How one run of a check ended. */
interface CopyRun {
  /** Null if it did not exit by itself. */
  readonly code: number | null;
  /** The end of its output. */
  readonly output: string;
}

interface Compared {
  readonly kept: KeptBase;
  /** Patterns of files that the task may change. */
  readonly allowed: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export interface SecondRun extends Compared {
  /** Names the copy; unguessable. */
  readonly id: string;
  /** Runs a command in a folder, contained like the check itself. */
  readonly run: (command: string, folder: string) => Promise<CopyRun>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits?: CopyLimits;
}

/** What the second run says. `isAccepted`: nothing that decides the check matters for its result. */
interface TriedCheck {
  readonly isAccepted: boolean;
  /** The command that the facts are about: the one that did not pass, or the last. */
  readonly command: string;
  readonly facts: BaseCheck;
  readonly output: string;
}

export interface BaseVerdict extends TriedCheck {
  /** Patterns of allowed changes that match no file. */
  readonly idlePatterns: readonly string[];
}

/** Compares before and after the check ran. A check must not be able to hide what was changed by changing it back. */
export async function compareNow({ kept, allowed, signal }: Compared): Promise<BaseComparison> {
  const nothing = { changes: [], addedTests: [], idlePatterns: [] };
  const { unknown } = kept.base;
  if (unknown !== null) return { ...nothing, unknown: `what decides it could not be recorded: ${unknown}` };
  try {
    return await compareWithBase(kept, allowed, signal);
  } catch (error) {
    return { ...nothing, unknown: `what decides it could not be compared: ${messageOf(error)}` };
  }
}

/**
 * Checks that passed are run again on a copy with the base versions of what decides them, if that was changed.
 * Undefined: nothing was changed. Never throws: whatever keeps the second run from being made means that it did not pass.
 */
export async function checkWithBase(
  commands: readonly string[],
  first: BaseComparison,
  second: SecondRun,
): Promise<BaseVerdict | undefined> {
  const { kept } = second;
  const found = joined(first, await compareNow(second));
  const refused = (because: string): BaseVerdict => ({
    ...verdict(found.changes, { code: null, output: "", command: commands[0] ?? "" }, because),
    idlePatterns: found.idlePatterns,
  });
  if (found.unknown !== undefined) return refused(found.unknown);
  if (found.changes.length + found.addedTests.length === 0) return undefined;
  const lost = found.changes.filter(({ isLost }) => isLost === true);
  if (lost.length > 0) return refused(`there is no copy of what ${names(lost)} was before`);
  const bound = boundTo(found.changes, kept);
  if (bound !== undefined)
    return refused(`${bound} contains the path of the workspace, so it cannot be tried in a copy`);
  try {
    using copies = openCopies(second.id, kept.base.root);
    const tried = await runOnCopy(commands, found, second, copies.folder);
    return tried === undefined ? undefined : { ...tried, idlePatterns: found.idlePatterns };
  } catch (error) {
    return refused(`it could not be tried in a copy: ${messageOf(error)}`);
  }
}

interface CommandResult extends CopyRun {
  readonly command: string;
}

async function runOnCopy(
  commands: readonly string[],
  found: BaseComparison,
  how: SecondRun,
  copyAt: string,
): Promise<TriedCheck | undefined> {
  const added = found.addedTests.map((path): DecidingChange => ({ path, how: "created", role: "test" }));
  const second = await runAll(commands, [...found.changes, ...added], how, copyAt);
  if (second.code === 0) return found.changes.length === 0 ? undefined : verdict(found.changes, second, null);
  // Where it fails with the present files too, the copy is the reason, and nothing can be said about the changes.
  const present = await runAll(commands, [], how, copyAt);
  const ended = second.code === null ? "did not end by itself" : `failed with exit code ${second.code}`;
  const because =
    present.code === 0
      ? `with the files as they were it ${ended}`
      : "it fails in a copy of the workspace even with the present files, so it depends on the folder";
  return verdict([...found.changes, ...added], second, because);
}

/** Runs the checks on a new copy, until one fails. */
async function runAll(
  commands: readonly string[],
  changes: readonly DecidingChange[],
  { kept, environment, run, limits = USUAL_COPY_LIMITS, signal }: SecondRun,
  copyAt: string,
): Promise<CommandResult> {
  removeTree(copyAt);
  await copyWorkspace(kept.base.root, copyAt, limits, signal);
  restoreInCopy(changes, kept, copyAt);
  let last: CommandResult = { code: 0, output: "", command: "" };
  for (const command of commands) {
    last = { ...(await run(inCopy(command, kept.base.root, copyAt, environment), copyAt)), command };
    signal?.throwIfAborted();
    if (last.code !== 0) return last;
  }
  return last;
}

const verdict = (
  changes: readonly DecidingChange[],
  { code, output, command }: CommandResult,
  because: string | null,
): TriedCheck => ({
  isAccepted: because === null,
  command,
  facts: { changed: changes.map(({ path, how }) => ({ path, how })), exit_code: code, because },
  output,
});

function joined(one: BaseComparison, other: BaseComparison): BaseComparison {
  const changes = new Map([...one.changes, ...other.changes].map((change) => [change.path, change]));
  return {
    changes: [...changes.values()],
    addedTests: [...new Set([...one.addedTests, ...other.addedTests])],
    idlePatterns: other.idlePatterns,
    unknown: one.unknown ?? other.unknown,
  };
}

const names = (changes: readonly DecidingChange[]) =>
  `${changes[0]?.path ?? ""}${changes.length > 1 ? ` and ${changes.length - 1} more` : ""}`;

/** A script that names the workspace by its path would run the changed files from there. */
function boundTo(changes: readonly DecidingChange[], { base, folder }: KeptBase): string | undefined {
  return changes.find(
    ({ before, role }) =>
      before?.kind === "file" && role !== "test" && keptContent(folder, before.sha256).includes(`${base.root}/`),
  )?.path;
}

/** The command for the copy: paths of the workspace in it and in the environment lead into the copy. */
function inCopy(
  command: string,
  root: string,
  copyAt: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const moved = (text: string) =>
    text
      .split(root)
      .map((part, at) => (at > 0 && /^[\w.-]/.test(part) ? root : at > 0 ? copyAt : "") + part)
      .join("");
  const exports = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined &&
    /^[A-Z_]+$/.test(name) &&
    name !== "PWD" &&
    name !== "OLDPWD" &&
    value.includes(root) &&
    moved(value) !== value
      ? [`export ${name}=${shQuote(moved(value))}`]
      : [],
  );
  return [...exports, moved(command)].join("\n");
}

interface CopyLimits {
  readonly bytes: number;
  readonly milliseconds: number;
}

const USUAL_COPY_LIMITS: CopyLimits = { bytes: 2 * 1024 ** 3, milliseconds: 120_000 };

/** The copy cannot be made. The message says why. */
class CopyFailure extends Error {}

/**
 * Copies a workspace as it is. Dependencies and caches are links to the originals, which would take too long to copy;
 * links that lead out of the workspace keep their target. The copy is a repository of its own with the same history.
 */
async function copyWorkspace(from: string, to: string, limits: CopyLimits, signal?: AbortSignal): Promise<void> {
  const { files, dependencies } = await walkWorkspace(from, signal);
  mkdirSync(to, { mode: 0o700 });
  const started = performance.now();
  let bytes = 0;
  for (const [at, path] of files.entries()) {
    if (at % BATCH === 0) {
      signal?.throwIfAborted();
      await nextTurn();
    }
    bytes += copyOne(path, from, to);
    if (bytes > limits.bytes) throw new CopyFailure(`the workspace is larger than ${limits.bytes} bytes`);
    if (performance.now() - started > limits.milliseconds)
      throw new CopyFailure(`copying the workspace takes longer than ${limits.milliseconds / 1000} s`);
  }
  for (const folder of dependencies) {
    mkdirSync(dirname(join(to, folder)), { recursive: true });
    symlinkSync(join(from, folder), join(to, folder));
  }
  await addHistory(from, to);
}

const BATCH = 100;

/** Returns how many bytes it took. Sockets, pipes and devices are left out, and so is what cannot be read. */
function copyOne(path: string, from: string, to: string): number {
  const [source, target] = [join(from, path), join(to, path)];
  const stat = lstatSync(source, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  mkdirSync(dirname(target), { recursive: true });
  if (stat.isSymbolicLink()) symlinkSync(linkInCopy(readlinkSync(source), from, to), target);
  if (!stat.isFile()) return 0;
  try {
    copyFileSync(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if (readPlain(source) !== undefined) throw error;
    return 0;
  }
  return stat.size;
}

/** An absolute link into the workspace leads into the copy. */
function linkInCopy(target: string, from: string, to: string): string {
  return isAbsolute(target) && isInside(resolve(target), from) ? join(to, resolve(target).slice(from.length)) : target;
}

/** A check may ask git for the version or the changed files. The user's own repository is not reachable from here. */
async function addHistory(from: string, to: string): Promise<void> {
  const call = { cwd: to, workspace: from, env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" } };
  try {
    const [objects, format] = (
      await gitLine(
        ["rev-parse", "--path-format=absolute", "--git-path", "objects", "--show-object-format", "--show-prefix"],
        {
          cwd: from,
        },
      )
    ).split("\n");
    const head = await headCommit({ cwd: from });
    if (objects === undefined || head === undefined) return;
    await runGit(["init", "--quiet", "--template=", `--object-format=${format ?? "sha1"}`, to], call);
    mkdirSync(join(to, ".git/objects/info"), { recursive: true });
    writeFileSync(join(to, ".git/objects/info/alternates"), `${objects}\n`);
    await runGit(["update-ref", "HEAD", head], call);
    await runGit(["read-tree", "HEAD"], call);
  } catch {
    // Without git, or where the workspace is part of a larger repository, a check that needs git fails in the copy.
  }
}

/** Makes the deciding files in a copy what they were. */
function restoreInCopy(changes: readonly DecidingChange[], kept: KeptBase, to: string): void {
  for (const { path, role, before } of changes) {
    if (role === "dependency" || role === "program") continue;
    const target = join(to, path);
    clearWay(to, path);
    const present = readPlain(join(kept.base.root, path))?.toString("utf8");
    removeTree(target);
    if (before === undefined || before.kind === "unread") continue;
    mkdirSync(dirname(target), { recursive: true });
    if (before.kind === "link") symlinkSync(linkInCopy(before.target, kept.base.root, to), target);
    else {
      const content = keptContent(kept.folder, before.sha256);
      const text =
        role === "part" && present !== undefined
          ? withBasePart(path, { base: content.toString("utf8"), present }, checkedEntries(kept.base))
          : content;
      writeFileSync(target, text, { mode: before.executable ? 0o755 : 0o644, flag: "wx" });
    }
  }
}

/** Replaces links and files among the folders above a path, so that nothing is written through them. */
function clearWay(root: string, path: string): void {
  const names = path.split("/").slice(0, -1);
  for (let count = 1; count <= names.length; count++) {
    const folder = join(root, ...names.slice(0, count));
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory()) removeTree(folder);
  }
}
