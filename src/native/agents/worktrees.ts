import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../lib/json/sha256.ts";
import { type InTurn, oneAtATime } from "../../lib/process/tasks.ts";
import { firstFew, shortLine } from "../../lib/text/printable.ts";
import { removeLeftCopies } from "../../receipts/workspace/workspace-copy.ts";
import type { MergeConflict, MergeReport } from "../../snapshots/merge-changes.ts";
import type { Gate } from "../engine/gates.ts";

/** The copies of a workspace in which the sub-agents of a session work. */
export interface Worktrees {
  /** How many may be in use at once. */
  readonly most: number;
  /** Waits until fewer than the largest number are in use. Disposing it frees the place. */
  enter(signal: AbortSignal): Promise<Disposable>;
  /** Waits until none is in use. */
  rest(): Promise<void>;
  /** The workspace is copied, or changed by a merge, by one at a time. */
  readonly inTurn: InTurn;
  /** Changes the workspace, and remembers what could not be merged. */
  merge(change: () => Promise<MergeReport>): Promise<MergeReport>;
  /** Asks the model to deal with conflicts before it stops. */
  readonly gate: Gate;
}

const MAX_BLOCKS = 2;
const MAX_NAMED = 20;

export function openWorktrees(workspace: string, most: number): Worktrees {
  const left = openConflicts(workspace);
  const inTurn = oneAtATime();
  const waiting = new Set<() => void>();
  let used = 0;
  let resting = Promise.withResolvers<void>();
  const leave = () => {
    used--;
    resting.resolve();
    resting = Promise.withResolvers();
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    next();
  };
  return {
    most,
    async enter(signal) {
      while (used >= most) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
          signal.addEventListener("abort", () => waiting.delete(resolve) && resolve(), { once: true });
        });
      }
      signal.throwIfAborted();
      used++;
      return { [Symbol.dispose]: leave };
    },
    async rest() {
      while (used > 0) await resting.promise;
    },
    inTurn,
    merge: (change) =>
      inTurn(async () => {
        left.forgetChanged();
        const report = await change();
        left.note(report.conflicts);
        return report;
      }),
    gate: {
      name: "worktrees",
      exitCode: 9,
      most: MAX_BLOCKS,
      async check({ text }) {
        left.forgetChanged();
        left.forgetNamed(text);
        const conflicts = left.all();
        return conflicts.length === 0 ? undefined : reason(conflicts);
      },
    },
  };
}

/** The conflicts that nobody has dealt with, each with what its file was like at the last merge. */
function openConflicts(workspace: string) {
  const left = new Map<string, { readonly conflict: MergeConflict; readonly state: string }>();
  const stateIn = (path: string) => stateOf(join(workspace, path));
  return {
    all: () => [...left.values()].map(({ conflict }) => conflict),
    /** After a merge. What that has changed in files with older conflicts resolves none of them. */
    note(conflicts: readonly MergeConflict[]): void {
      for (const conflict of [...this.all(), ...conflicts])
        left.set(conflict.path, { conflict, state: stateIn(conflict.path) });
    },
    forgetChanged(): void {
      for (const [path, { state }] of left) if (stateIn(path) !== state) left.delete(path);
    },
    forgetNamed(text: string): void {
      const relative = text.replaceAll(`${workspace}/`, "").replaceAll(/(?<![\p{L}\p{N}_./-])\.\//gu, "");
      for (const path of left.keys()) if (isNamed(path, relative)) left.delete(path);
    },
  };
}

/** Whether a text names a path. One that could be a word of a sentence must be in quotes. */
function isNamed(path: string, text: string): boolean {
  if (/^[a-z]+$/.test(path)) return [`\`${path}\``, `"${path}"`, `'${path}'`].some((name) => text.includes(name));
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + path.length)];
    if (
      !/(?:[\p{L}\p{N}_/-]|[\p{L}\p{N}]\.)$/u.test(before.slice(-4)) &&
      !/^(?:[\p{L}\p{N}_/-]|\.[\p{L}\p{N}])/u.test(after)
    )
      return true;
  }
  return false;
}

/** Its first line is what a person is shown. */
const reason = (conflicts: readonly MergeConflict[]) =>
  `Changes of sub-agents were not merged in ${shortLine(conflicts.map(({ path }) => path).join(", "), 200)}.
${showConflicts(conflicts)}
Put both changes together in each of them. If one is right as it is, name it in your answer, in backticks, and say why.`;

/** Conflicts as lines for a model and for people. */
export function showConflicts(conflicts: readonly MergeConflict[]): string {
  const lines = conflicts.map(({ path, because, theirs, base }) => {
    const versions = [
      ...(theirs === undefined ? [] : [`the sub-agent's version: ${theirs}`]),
      ...(base === undefined ? [] : [`the version before: ${base}`]),
    ];
    return `- ${[`${path}: ${because}`, ...versions].join("; ")}`;
  });
  return firstFew(lines, MAX_NAMED, (more) => `- and ${more} more`).join("\n");
}

/** What changes when a file is edited, replaced or removed. */
function stateOf(path: string): string {
  try {
    const stat = lstatSync(path);
    return stat.isFile() ? `${stat.mode} ${sha256(readFileSync(path, "latin1"))}` : `${stat.mode} ${stat.mtimeMs}`;
  } catch {
    return "nothing";
  }
}

/** Tells the session's own agent how to use them. */
export const worktreesText = (most: number): string =>
  `Split the task: find parts that can be done independently, and start a general-purpose sub-agent for each, all in one answer so that they work at the same time, at most ${most} at once. Each works in a copy of the workspace, and its changes are merged into the workspace when it is done. Say in each prompt which files are its own, because two sub-agents that change the same lines make a conflict. Afterwards resolve what was not merged, and check the whole yourself. Do small tasks without sub-agents.`;

/** Removes the copies of sessions that were killed. */
export function removeLeftWorktrees(home: string): void {
  if (existsSync(join(home, "worktrees"))) removeLeftCopies(home);
}
