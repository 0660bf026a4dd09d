import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { AgentEvent } from "../contract/agent-event.ts";
import { callText } from "../contract/agent-call.ts";
import type { BoardEntry } from "../contract/board-entry.ts";
import { RUN_EXIT } from "../contract/run-exit.ts";
import type { SealPredicate } from "../contract/seal.ts";
import { folderNames } from "../lib/files/folder-tree.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { type KnownRun, readRun, runLife, whyUnknown } from "../receipts/run/known-runs.ts";
import { runsFolder } from "../receipts/run/run-log.ts";
import { type Moment, type Said, STALLED_MS } from "./launch-state.ts";
import { readTail, recordIn } from "./read-tail.ts";
import { sealedState } from "./sealed.ts";

/** A run, with the time of its end; undefined while it may be active. */
interface FoundRun {
  readonly id: string;
  readonly ended: number | undefined;
}

/** Finds the runs of a home. One that was seen to have ended is not looked at again. */
export function openRunFinder(home: string): () => readonly FoundRun[] {
  const known = new Map<string, number>();
  return () =>
    folderNames(runsFolder(home)).flatMap((id) => {
      const ended = known.get(id) ?? endedAt(join(runsFolder(home), id));
      if (ended === "none") return [];
      if (ended !== undefined) known.set(id, ended);
      return { id, ended };
    });
}

/** `none`: this is no run, or one that never began. */
function endedAt(folder: string): number | undefined | "none" {
  const closed = statSync(join(folder, "closed.json"), { throwIfNoEntry: false });
  if (closed !== undefined) return closed.mtimeMs;
  return statSync(join(folder, "run.json"), { throwIfNoEntry: false }) === undefined ? "none" : undefined;
}

/** Undefined for a run that was removed meanwhile. */
export function runEntry(
  home: string,
  id: string,
  seal: SealPredicate | undefined,
  now: Moment,
): BoardEntry | undefined {
  const folder = join(runsFolder(home), id);
  const read = readRun(folder);
  if (read === undefined) return undefined;
  const base = { id: basename(folder), kind: "run" as const, restorable: false, receipt: null };
  if ("because" in read) {
    const { because, root = "" } = read;
    const since = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now.at;
    const said = { state: "unknown", source: "log", since, why: because } as const;
    return { ...base, ...said, agent: "?", folder: root, task: "", isLive: false, calls: null, denied: null };
  }
  const { header, end } = read;
  const decisions = seal?.guard.decisions;
  return {
    ...base,
    agent: header.agent,
    folder: header.root,
    task: header.task,
    isLive: end === undefined && runLife(read) === "alive",
    ...(end === undefined ? activeState(read, now) : endedState(end, seal)),
    calls: decisions === undefined ? null : decisions.allow + decisions.ask + decisions.deny,
    denied: decisions?.deny ?? null,
    receipt: end === undefined ? null : id,
  };
}

function endedState(end: NonNullable<KnownRun["end"]>, seal: SealPredicate | undefined): Said {
  const { state, why } = seal === undefined ? byExitCode(end.exit_code) : sealedState(seal);
  const applied = end.applied_at === null ? "" : ", applied";
  return { state, source: "log", since: Date.parse(end.finished_at), why: `${end.because || why}${applied}` };
}

/** Without its seal nothing says that a check passed. */
function byExitCode(code: number): Pick<Said, "state" | "why"> {
  if (code === RUN_EXIT.done) return { state: "claimed done", why: "done, by its log alone" };
  if (code === RUN_EXIT.denied) return { state: "denied", why: "a call was blocked" };
  if (code === RUN_EXIT.interrupted) return { state: "interrupted", why: "interrupted" };
  return { state: "failed", why: `exit code ${code}` };
}

function activeState(run: KnownRun, now: Moment): Said {
  const started = Date.parse(run.header.started_at);
  const life = runLife(run);
  try {
    const tail = readTail(join(run.folder, "log.jsonl"));
    const since = tail?.modified ?? started;
    if (life === "dead") return { state: "interrupted", source: "process", since, why: "its signalbox was killed" };
    if (life === "unknown") return { state: "unknown", source: "process", since, why: whyUnknown(run) };
    if (tail === undefined || tail.lines.length === 0)
      return { state: "unknown", source: "process", since, why: "its process lives, and nothing was logged yet" };
    return { source: "log", since, ...logState(lastWords(tail.lines), now.at - tail.modified) };
  } catch (error) {
    return { state: "unknown", source: "process", since: started, why: `its log cannot be read: ${messageOf(error)}` };
  }
}

/** A log has the times of the clock on the wall, which somebody may have set since. */
const CLOCK_SET_MS = 60_000;

/** What can be told by the age of the newest line of a log whose process lives. */
export function logState(why: string, age: number): Pick<Said, "state" | "why"> & Partial<Said> {
  if (age < -CLOCK_SET_MS)
    return { state: "unknown", source: "inferred", why: "its newest line is of the future: the clock was set back" };
  if (age <= STALLED_MS) return { state: "running", why };
  const minutes = Math.round(age / 60_000);
  return { state: "stalled", source: "inferred", why: `no line in its log for ${minutes} min, after: ${why}` };
}

function lastWords(lines: readonly string[]): string {
  for (const line of lines.toReversed()) {
    const record = recordIn(line);
    const event = record?.["t"] === "event" ? AgentEvent.safeParse(record["event"]).data : undefined;
    if (event?.type === "tool_call") return callText(event.tool_name, event.input);
    if (event?.type === "assistant_message" || event?.type === "assistant_delta") return "writes an answer";
    if (record?.["t"] === "checked") return "its work is checked";
  }
  return "has begun";
}
