import { withoutUpdate } from "../../lib/json/file-format.ts";
import { basename, join } from "node:path";
import type { WorkOrder } from "../../contract/work-order.ts";
import { type Life, ownerLife, ownerOf, processLife } from "../../lib/process/folder-owner.ts";
import { isInside } from "../../lib/path/inside.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { waitForLock } from "../../lib/files/lock.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { firstFew, printable, printableLine } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { cancelFile, keptStage, readRecord, RunHeader, runsFolder, StoredEnd, writeEnd } from "./run-log.ts";
import { folderNames } from "../../lib/files/folder-tree.ts";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { applyPatch, type ProtectedChange } from "../workspace/apply-patch.ts";

/** A current or past run. Without `end`, it is still active or was killed. */
export interface KnownRun {
  readonly folder: string;
  readonly header: RunHeader;
  readonly end: StoredEnd | undefined;
}

/** A run whose records are there but cannot be used. Nothing may be concluded from them, nor may they be replaced. */
export interface UnreadRun {
  readonly id: string;
  readonly folder: string;
  /** A clause with the name of the file. */
  readonly because: string;
  readonly newer: boolean;
  /** The workspace, as far as it can be told. */
  readonly root: string | undefined;
}

/** All runs of this home, oldest first. Skips a folder without a header, because that run never began. */
export const knownRuns = (home: string): KnownRun[] => readRuns(home).runs;

/** All runs of this home, and those that cannot be read. */
export function readRuns(home: string): { readonly runs: KnownRun[]; readonly unread: readonly UnreadRun[] } {
  const runs: KnownRun[] = [];
  const unread: UnreadRun[] = [];
  for (const id of folderNames(runsFolder(home))) {
    const run = readRun(join(runsFolder(home), id));
    if (run === undefined) continue;
    if ("because" in run) unread.push(run);
    else runs.push(run);
  }
  return { runs: runs.toSorted((one, other) => (one.header.started_at < other.header.started_at ? -1 : 1)), unread };
}

/** One run by its folder; undefined for a folder without a header. */
export function readRun(folder: string): KnownRun | UnreadRun | undefined {
  const id = basename(folder);
  const header = readRecord(join(folder, "run.json"), RunHeader);
  const end = readRecord(join(folder, "closed.json"), StoredEnd);
  const root = header.state === "read" ? header.value.root : undefined;
  if (header.state === "unread") return { id, folder, root: rootIn(header.raw), ...reason("run.json", header) };
  if (end.state === "unread") return { id, folder, root, ...reason("closed.json", end) };
  if (header.state === "missing") return undefined;
  return { folder, header: header.value, end: end.state === "read" ? end.value : undefined };
}

const reason = (file: string, { because, newer }: { readonly because: string; readonly newer: boolean }) => ({
  because: newer ? because : `${file} ${because}`,
  newer,
});

const rootIn = (raw: unknown) => (isRecord(raw) && typeof raw["root"] === "string" ? raw["root"] : undefined);

/** Runs `work` while holding the home's run lock. */
export async function withRunLock<Value>(home: string, work: () => Promise<Value> | Value): Promise<Value> {
  makeFolder(join(home, "runs"));
  using _lock = await waitForLock(join(home, "runs", "lock.db"));
  return await work();
}

/**
 * Whether the process that started the run is alive. Older versions stored only a pid, which can prove "alive" but not
 * "dead".
 */
export function runLife({ folder, header }: KnownRun): Life {
  if (ownerOf(folder) !== undefined) return ownerLife(folder);
  return processLife(header.owner) === "alive" ? "alive" : "unknown";
}

/** A clause that says why we can't tell whether a run is over. */
export function whyUnknown({ folder }: KnownRun): string {
  const owner = ownerOf(folder);
  if (owner === undefined) return "it was started by an older signalbox";
  return `it was started on another machine or in another container (${printable(owner.hostname)})`;
}

/** Opens a run unless another one is working in place in the same folder. Their changes could not be told apart. */
export async function refuseSecondRun<Value>(
  order: WorkOrder,
  source: string,
  home: string,
  open: () => Value,
): Promise<Value> {
  return await withRunLock(home, () => {
    const { runs, unread } = readRuns(home);
    if (order.workspace.mode === "pass_through") refuseUnread(unread, source);
    const other = runs.find(
      (run) =>
        run.end === undefined &&
        run.header.mode === "pass_through" &&
        order.workspace.mode === "pass_through" &&
        (isInside(run.header.root, source) || isInside(source, run.header.root)) &&
        runLife(run) !== "dead",
    );
    if (other === undefined) return open();
    const { run_id: id, root } = other.header;
    throw runLife(other) === "unknown"
      ? new UserError(`run ${id} may still be active in this folder: ${whyUnknown(other)}`, {
          where: root,
          fix: `if it has ended, close it with 'signalbox cancel ${id} --gone'; otherwise wait, or work on a copy with --staged`,
          exitCode: EXIT.refused,
        })
      : new UserError(`run ${id} is active in this folder`, {
          where: root,
          fix: `wait for it, stop it with 'signalbox cancel ${id}', or work on a copy with --staged`,
          exitCode: EXIT.refused,
        });
  });
}

/** A run of a newer signalbox may be working here. */
function refuseUnread(unread: readonly UnreadRun[], source: string): void {
  const other = unread.find(
    ({ folder, root = source }) => (isInside(root, source) || isInside(source, root)) && ownerLife(folder) === "alive",
  );
  if (other !== undefined) throw unreadError(other);
}

function unreadError({ id, folder, because, newer }: UnreadRun): UserError {
  return new UserError(`run ${id}: ${withoutUpdate(because)}`, {
    where: folder,
    fix: newer ? "update signalbox" : "its receipt may still be there: signalbox receipt list",
    exitCode: EXIT.refused,
  });
}

/** The run with this id or id prefix. `last` is the run that ended most recently. */
export function findRun(home: string, name: string): KnownRun {
  const read = readRuns(home);
  const last = () => read.runs.filter(hasEnded).toSorted(byEnd).slice(-1);
  return onlyRun(name === "last" ? last() : beginning(read.runs, name), name, read.unread);
}

/** Like `findRun`, but `last` is the run that started most recently and has not ended. */
export function findActiveRun(home: string, name: string): KnownRun {
  const { runs, unread } = readRuns(home);
  const active = runs.filter((run) => !hasEnded(run) && runLife(run) !== "dead");
  return onlyRun(name === "last" ? active.slice(-1) : beginning(runs, name), name, unread);
}

function onlyRun(found: readonly KnownRun[], name: string, unread: readonly UnreadRun[]): KnownRun {
  const [run] = found;
  if (run !== undefined && found.length === 1) return run;
  const other = unread.find(({ id }) => isIdPart(name) && id.startsWith(name));
  if (run === undefined && other !== undefined) throw unreadError(other);
  throw new UserError(run === undefined ? "no such run" : `${found.length} runs match`, {
    where: name,
    fix: "'signalbox runs' lists them",
  });
}

const beginning = (runs: readonly KnownRun[], name: string) =>
  isIdPart(name) ? runs.filter(({ header }) => header.run_id.startsWith(name)) : [];

const isIdPart = (name: string) => /^[0-9a-f-]{4,36}$/.test(name);
const hasEnded = ({ end }: KnownRun) => end !== undefined;
const byEnd = (one: KnownRun, other: KnownRun) =>
  (one.end?.finished_at ?? "") < (other.end?.finished_at ?? "") ? -1 : 1;

/**
 * Applies the result of a staged run to its workspace, once. The caller decides whether the run must have been
 * accepted.
 * Refuses changes to protected files, unless `allowProtected` is set; then returns them.
 */
export async function applyRun(
  run: KnownRun,
  { allowProtected }: { readonly allowProtected: boolean },
): Promise<readonly ProtectedChange[]> {
  const { folder, header, end } = run;
  const refuse = (what: string, fix: string) =>
    new UserError(what, { where: header.run_id, fix, exitCode: EXIT.refused });
  if (end === undefined) throw refuse("this run has not ended", "wait for it");
  if (header.mode !== "staged") throw refuse("this run worked in place", "there is nothing to apply");
  if (end.applied_at !== null) throw refuse(`this run was applied at ${end.applied_at}`, "nothing more to do");
  const base = keptStage(folder);
  const patchFile = join(folder, "changes.patch");
  if (base === undefined || !existsSync(patchFile)) throw refuse("this run left no result", "run it again");
  if (statSync(patchFile).size === 0) throw refuse("this run changed nothing", "there is nothing to apply");
  let protectedFiles: readonly ProtectedChange[] = [];
  const confirm = (changes: readonly ProtectedChange[]) => {
    protectedFiles = changes;
    if (changes.length === 0 || allowProtected) return;
    throw refuse(
      `blocked: this result changes protected files:\n${describeChanges(changes)}`,
      `read the patch, ${patchFile}, then: signalbox apply ${header.run_id} --allow-protected`,
    );
  };
  const passing = mkdtempSync(join(folder, "apply-"));
  try {
    await applyPatch({ root: header.root, base, baseFolder: join(folder, "base/0.git"), patchFile, confirm }, passing);
  } finally {
    rmSync(passing, { recursive: true, force: true });
  }
  writeEnd(folder, { ...end, applied_at: new Date().toISOString() });
  return protectedFiles;
}

const MAX_NAMED = 50;

export function describeChanges(changes: readonly ProtectedChange[]): string {
  const lines = changes.map(({ path, because }) => `  ${printableLine(path)}: ${printableLine(because)}`);
  return firstFew(lines, MAX_NAMED, (more) => `  and ${more} more`).join("\n");
}

/** Requests the end of a run. The run polls for this file. */
export function askToCancel(run: KnownRun, reason: string): void {
  atomicWrite(cancelFile(run.folder), reason);
}
