import type { BaseCheck } from "../contract/seal.ts";
import { messageOf } from "../lib/message-of.ts";
import { removeTree } from "../lib/remove-tree.ts";
import { shQuote } from "../lib/sh-quote.ts";
import { copyWorkspace, type CopyLimits, restoreInCopy, USUAL_COPY_LIMITS } from "./base-copy.ts";
import { openCopyPlace } from "./copy-place.ts";
import { type KeptBase, keptContent } from "./check-base.ts";
import { type DecidingChange, compareWithBase, type BaseComparison } from "./compare-base.ts";

/** How one run of a check ended. */
interface CopyRun {
  /** Null if it did not exit by itself. */
  readonly code: number | null;
  /** The end of its output. */
  readonly output: string;
}

interface BaseCheckParts {
  readonly kept: KeptBase;
  /** Patterns of files that the task may change. */
  readonly allowed: readonly string[];
  /** Names the copy; unguessable. */
  readonly id: string;
  /** Runs a command in a folder, contained like the check itself. */
  readonly run: (command: string, folder: string) => Promise<CopyRun>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits?: CopyLimits;
  readonly signal?: AbortSignal | undefined;
}

/** What the second run says. `isAccepted`: nothing that decides the check matters for its result. */
export interface BaseVerdict {
  readonly isAccepted: boolean;
  /** The command that the facts are about: the one that did not pass, or the last. */
  readonly command: string;
  readonly facts: BaseCheck;
  readonly output: string;
  /** Patterns of allowed changes that match no file. */
  readonly idlePatterns: readonly string[];
}

/** Compares before and after the check ran. A check must not be able to hide what was changed by changing it back. */
export async function compareNow({
  kept,
  allowed,
  signal,
}: Pick<BaseCheckParts, "kept" | "allowed" | "signal">): Promise<BaseComparison> {
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
  parts: BaseCheckParts,
): Promise<BaseVerdict | undefined> {
  const { kept } = parts;
  const found = joined(first, await compareNow(parts));
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
    using place = openCopyPlace(parts.id, kept.base.root);
    const tried = await runOnCopy(commands, found, { ...parts, copyAt: place.folder });
    return tried === undefined ? undefined : { ...tried, idlePatterns: found.idlePatterns };
  } catch (error) {
    return refused(`it could not be tried in a copy: ${messageOf(error)}`);
  }
}

interface CopyParts extends BaseCheckParts {
  readonly copyAt: string;
}

interface CommandResult extends CopyRun {
  readonly command: string;
}

type TriedCheck = Omit<BaseVerdict, "idlePatterns">;

async function runOnCopy(
  commands: readonly string[],
  found: BaseComparison,
  parts: CopyParts,
): Promise<TriedCheck | undefined> {
  const added = found.addedTests.map((path): DecidingChange => ({ path, how: "created", role: "test" }));
  const second = await runAll(commands, [...found.changes, ...added], parts);
  if (second.code === 0) return found.changes.length === 0 ? undefined : verdict(found.changes, second, null);
  // Where it fails with the present files too, the copy is the reason, and nothing can be said about the changes.
  const present = await runAll(commands, [], parts);
  const how = second.code === null ? "did not end by itself" : `failed with exit code ${second.code}`;
  const because =
    present.code === 0
      ? `with the files as they were it ${how}`
      : "it fails in a copy of the workspace even with the present files, so it depends on the folder";
  return verdict([...found.changes, ...added], second, because);
}

/** Runs the checks on a new copy, until one fails. */
async function runAll(
  commands: readonly string[],
  changes: readonly DecidingChange[],
  parts: CopyParts,
): Promise<CommandResult> {
  const { kept, copyAt, limits = USUAL_COPY_LIMITS, signal } = parts;
  removeTree(copyAt);
  await copyWorkspace({ from: kept.base.root, to: copyAt, limits, signal });
  restoreInCopy(changes, kept, copyAt);
  let last: CommandResult = { code: 0, output: "", command: "" };
  for (const command of commands) {
    last = { ...(await parts.run(inCopy(command, parts), copyAt)), command };
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
function inCopy(command: string, { kept, copyAt, environment }: CopyParts): string {
  const { root } = kept.base;
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
