import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { isInside } from "../lib/path/inside.ts";
import { gitNames, runGit } from "../lib/process/run-git.ts";
import type { FileMove, PathReason, StoredFile } from "./move-files.ts";
import { privateGit } from "./shadow.ts";
import { openSnapshots } from "./snapshot.ts";
import {
  type FileState,
  isSameFile,
  isUnknown,
  presentFile,
  type StateChange,
  stateChanges,
  type UnknownFile,
} from "./state-changes.ts";
import { closeTurn } from "./turn-snapshots.ts";
import type { SavedTurn } from "./turn-states.ts";

interface MovePlan {
  readonly moves: readonly FileMove[];
  readonly kept: readonly PathReason[];
}

interface UndoPlan extends MovePlan {
  readonly workspace: string;
}

/** A stretch of work with what it changed. */
interface TurnChanges {
  readonly saved: SavedTurn;
  readonly files: ReadonlyMap<string, StateChange>;
  readonly lost: readonly string[];
}

/** What a stored stretch of work changed. */
export async function turnChanges(found: SavedTurn): Promise<TurnChanges> {
  const saved = found.state.after === null ? await closeTurn(found) : found;
  const { state, workspace, store: place } = saved;
  const store = openSnapshots(workspace, place, state.before.snapshot);
  return { saved, ...(await stateChanges(store, state.before, state.after ?? state.before)) };
}

/** What happens to one file, as the turns are taken back one after the other. */
interface Step {
  readonly present: FileState | UnknownFile | null;
  /** The present file, if a store has it. */
  presentIn: StoredFile | undefined;
  target: FileState | UnknownFile | null;
  /** The store that has the content of the target. */
  store: string;
  /** Why it stays as it is. */
  kept: string | undefined;
  /** Nothing can change that any more. */
  isFixed: boolean;
}

/**
 * Plans to take turns back, the newest first. A file goes back as long as it is as the turn left it. Where somebody
 * else has changed it, it is kept, unless this is forced.
 */
export async function planUndo(
  workspace: string,
  turns: readonly TurnChanges[],
  { force }: { readonly force: boolean },
): Promise<UndoPlan> {
  const steps = new Map<string, Step>();
  const gone: PathReason[] = [];
  for (const turn of turns.toReversed()) {
    const spared = await sparedFiles(turn);
    for (const path of turn.lost)
      gone.push({ path, because: "its old content was removed with its repository", isFinal: true });
    for (const [path, change] of turn.files) {
      const oid = (change.before ?? change.after)?.oid ?? "";
      const step = steps.get(path) ?? firstStep(presentFile(workspace, path, oid.length));
      steps.set(path, step);
      takeBack(step, change, { id: turn.saved.id, spared: spared(path, change), force });
    }
  }
  const { moves, kept } = outcome(steps);
  return { workspace, moves, kept: [...kept, ...gone] };
}

const firstStep = (present: Step["present"]): Step => ({
  present,
  presentIn: undefined,
  target: present,
  store: "",
  kept: undefined,
  isFixed: false,
});

interface TakeBack {
  readonly id: string;
  readonly spared: Spared | undefined;
  readonly force: boolean;
}

function takeBack(step: Step, { before, after }: StateChange, { id, spared, force }: TakeBack): void {
  const { target, present } = step;
  const isAs = (file: FileState | null) => !isUnknown(target) && isSameFile(target, file);
  if (isAs(after) && after !== null && target === present) step.presentIn ??= { ...after, store: id };
  if (isAs(before) || step.isFixed) return;
  const objection = isAs(after) ? spared?.because : isUnknown(target) ? target.because : CHANGED;
  step.isFixed = spared?.isFinal === true || isUnknown(target);
  if (objection !== undefined && (step.isFixed || !force)) {
    step.kept ??= objection;
    return;
  }
  step.target = before;
  step.store = id;
}

const CHANGED = "it was changed after the turn";

function outcome(steps: ReadonlyMap<string, Step>): MovePlan {
  const moves: FileMove[] = [];
  const kept: PathReason[] = [];
  for (const [path, { present, presentIn, target, store, kept: because, isFixed }] of steps) {
    if (because !== undefined) kept.push({ path, because, ...(isFixed ? { isFinal: true } : {}) });
    else if (!isUnknown(target) && !isUnknown(present) && !isSameFile(present, target))
      moves.push({ path, from: presentIn ?? unstored(present), to: target === null ? null : { ...target, store } });
  }
  const byPath = (one: PathReason | FileMove, other: PathReason | FileMove) => (one.path < other.path ? -1 : 1);
  return { moves: moves.toSorted(byPath), kept: kept.toSorted(byPath) };
}

/** The content of this file is in no store yet. */
const unstored = (file: FileState | null): StoredFile | null => (file === null ? null : { ...file, store: "" });

interface Spared {
  readonly because: string;
  /** Even where this is forced. */
  readonly isFinal: boolean;
}

/** Files of a turn that must stay although they are as the turn left them. */
async function sparedFiles({ saved, files }: TurnChanges) {
  const { state } = saved;
  const foreign = new Set(state.foreign);
  const isSkipped = (path: string) => state.skipped.some((skipped) => isInside(path, skipped));
  const ignored = await ignoredBefore(saved, newFiles(files));
  return (path: string, { before }: StateChange): Spared | undefined => {
    if (before === null && isSkipped(path))
      return { because: "it was there before the turn, and too large or unreadable for a snapshot", isFinal: true };
    if (before === null && ignored.has(path))
      return { because: "git ignored it before the turn, so it may have been there", isFinal: true };
    return foreign.has(path)
      ? { because: "it was changed after the session was killed, or just before", isFinal: false }
      : undefined;
  };
}

/** New files matter only if a file that says what git ignores has changed. */
function newFiles(files: ReadonlyMap<string, StateChange>): readonly string[] {
  if (![...files.keys()].some((path) => basename(path) === ".gitignore")) return [];
  return [...files].flatMap(([path, { before }]) => (before === null ? [path] : []));
}

/** Plans to take an undo back. A file that somebody has changed since is kept. */
export function planRedo(workspace: string, undone: readonly FileMove[]): MovePlan {
  const moves: FileMove[] = [];
  const kept: PathReason[] = [];
  for (const { path, from, to } of undone) {
    const present = presentFile(workspace, path, (from ?? to)?.oid.length ?? 40);
    if (isUnknown(present)) kept.push({ path, because: present.because });
    else if (isSameFile(present, to)) moves.push({ path, from: to, to: from });
    else if (!isSameFile(present, from)) kept.push({ path, because: "it was changed after the undo" });
  }
  return { moves, kept };
}

/** Which of these paths git would have ignored before a turn, by the ignore files of then. */
async function ignoredBefore(saved: SavedTurn, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const { state, store: place, workspace, folder } = saved;
  const store = openSnapshots(workspace, place, state.before.snapshot);
  const work = mkdtempSync(join(folder, "ignored-"));
  const ignored = new Set<string>();
  try {
    for (const [number, { path: part, tree }] of state.before.snapshot.parts.entries()) {
      const shadow = store.shadow(part);
      if (shadow === undefined) continue;
      const area = join(work, String(number));
      mkdirSync(area);
      const own = privateGit(shadow.folder, area);
      const git = { ...own, env: { ...own.env, GIT_INDEX_FILE: `${area}.index` } };
      await runGit(["read-tree", tree], git);
      const rules = await gitNames(["ls-files", "-z", "--", ":(top,glob)**/.gitignore"], git);
      if (rules.length > 0) await runGit(["checkout-index", "--quiet", "-z", "--stdin"], input(git, rules));
      const mine = paths.filter((path) => path.startsWith(part)).map((path) => path.slice(part.length));
      // Without an index nothing is excepted because git knows it.
      const asked = input(git, mine);
      const { stdout } = await runGit(["check-ignore", "--no-index", "-z", "--stdin"], { ...asked, accept: [1] });
      for (const name of stdout.toString("utf8").split("\0")) if (name !== "") ignored.add(join(part, name));
    }
    return ignored;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const input = <Call extends object>(git: Call, names: readonly string[]) => ({
  ...git,
  input: names.map((name) => `${name}\0`).join(""),
});
