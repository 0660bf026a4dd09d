import { setTimeout as sleep } from "node:timers/promises";
import { type ProcessRow, processTable } from "./process-table.ts";

/** How to recognize the processes of a run: its id in their environment, and none is older than `since`. */
export interface RunMark {
  readonly id: string;
  readonly since?: string;
}

interface Limits {
  /** How long to wait after TERM before KILL. */
  readonly graceMs: number;
  /** How long to wait after KILL before the remaining processes are reported. */
  readonly killMs: number;
}

export const TREE_LIMITS: Limits = { graceMs: 2000, killMs: 3000 };

const POLL_MS = 20;

/** Short, so that a process that keeps forking and exiting does not always stay a step ahead. */
const KILL_POLL_MS = 2;

const EMPTY_SCANS = 2;

/**
 * The live processes of a run: those that carry its id, and every descendant of these or of `known`.
 * Agents start their tools in separate groups and sessions, so searching by group or session would miss them.
 */
export function treeOf({ id, since }: RunMark, known: readonly ProcessRow[] = []): ProcessRow[] {
  const table = processTable(id, since);
  const knownStart = new Map(known.map((row) => [row.pid, row.started]));
  const members = new Map<number, ProcessRow>();
  for (const row of table) {
    if (row.pid !== process.pid && (row.marked || knownStart.get(row.pid) === row.started)) members.set(row.pid, row);
  }
  const children = Map.groupBy(table, (row) => row.parent);
  const queue = [...members.keys()];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (members.has(child.pid) || child.pid === process.pid) continue;
      members.set(child.pid, child);
      queue.push(child.pid);
    }
  }
  return [...members.values()];
}

/**
 * Ends every process of the run: TERM, a grace period, then KILL until none is left. Returns those that could not be
 * ended.
 */
export async function endTree(
  run: RunMark,
  known: readonly ProcessRow[] = [],
  limits = TREE_LIMITS,
): Promise<ProcessRow[]> {
  const terminated = new Set<number>();
  // Not `performance`, which Node loads on first use.
  const start = process.uptime();
  let rows = treeOf(run, known);
  // A child created while the table is read may be missed after its parent is gone, so two scans in a row must find
  // nothing.
  for (let empty = 0; rows.length > 0 || ++empty < EMPTY_SCANS;) {
    const waited = (process.uptime() - start) * 1000;
    if (waited > limits.graceMs + limits.killMs) return rows;
    const killing = waited >= limits.graceMs;
    for (const row of rows) {
      if (killing) send(row, "SIGKILL");
      else if (!terminated.has(row.pid)) send(row, "SIGTERM");
      terminated.add(row.pid);
    }
    if (rows.length > 0) empty = 0;
    await sleep(killing || empty > 0 ? KILL_POLL_MS : POLL_MS);
    rows = treeOf(run, [...known, ...rows]);
  }
  return [];
}

const MAX_ROUNDS = 200;

/** Kills every process of the run immediately, for a process that has no time left to wait. */
export function killTree(run: RunMark, known: readonly ProcessRow[] = []): void {
  let rows = treeOf(run, known);
  for (let [round, empty] = [0, 0]; round < MAX_ROUNDS && (rows.length > 0 || ++empty < EMPTY_SCANS); round++) {
    if (rows.length > 0) empty = 0;
    for (const row of rows) send(row, "SIGKILL");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, KILL_POLL_MS);
    rows = treeOf(run, [...known, ...rows]);
  }
}

function send(row: ProcessRow, signal: NodeJS.Signals): void {
  try {
    process.kill(row.pid, signal);
    // A stopped process only handles TERM once it continues.
    if (signal === "SIGTERM") process.kill(row.pid, "SIGCONT");
  } catch {
    // It ended between the scan and the signal.
  }
}
