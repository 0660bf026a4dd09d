import { statSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { callText } from "../contract/agent-call.ts";
import type { BoardEntry } from "../contract/board-entry.ts";
import { namesIn } from "../lib/files/folder-tree.ts";
import { isLocked } from "../lib/files/lock.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { errorCode, messageOf } from "../lib/text/user-error.ts";
import { sessionTitle } from "../native/log/list-sessions.ts";
import { agentsPath, lockPath, logPath, sessionIds, sessionsPlace } from "../native/log/log-folder.ts";
import type { Moment, Said } from "./launch-state.ts";
import { readFirstLines, readTail, recordIn, type Tail } from "./read-tail.ts";
import { logState } from "./runs.ts";

/** A conversation of native, with the time of its last record. */
export interface FoundConversation {
  readonly id: string;
  readonly changed: number;
}

/** The conversations that were worked on last, newest first. */
export function newestConversations(home: string, most: number): readonly FoundConversation[] {
  const folder = sessionsPlace(home);
  return sessionIds(folder)
    .flatMap((id) => {
      const stat = statSync(logPath(folder, id), { throwIfNoEntry: false });
      return stat === undefined ? [] : { id, changed: stat.mtimeMs };
    })
    .toSorted((one, other) => other.changed - one.changed)
    .slice(0, most);
}

/** Whether somebody has a conversation open. */
export function isOpenConversation(home: string, id: string): boolean {
  try {
    return isLocked(lockPath(sessionsPlace(home), id));
  } catch {
    // It was never locked, or was removed.
    return false;
  }
}

/** Undefined for a conversation that was removed meanwhile. */
export function conversationEntry(home: string, id: string, isLive: boolean, now: Moment): BoardEntry | undefined {
  const folder = sessionsPlace(home);
  const path = logPath(folder, id);
  const base = { id, kind: "session" as const, agent: "native", ...headOf(path), isLive };
  const more = { calls: null, denied: null, restorable: false, receipt: null };
  try {
    const tail = readTail(path);
    if (tail === undefined) return undefined;
    const said = isLive ? liveState(tail, subAgentTails(folder, id), now) : endedState(lastDeed(tail.lines));
    return { ...base, ...more, source: "log", since: tail.modified, ...said };
  } catch (error) {
    const why = `its log cannot be read: ${errorCode(error) ?? messageOf(error)}`;
    return { ...base, ...more, state: "unknown", source: "process", since: now.at, why };
  }
}

/** Its folder and its first prompt. */
function headOf(path: string): Pick<BoardEntry, "folder" | "task"> {
  const records = (readFirstLines(path) ?? []).map((line) => recordIn(line));
  const folder = records[0]?.["cwd"];
  const messages = records.flatMap((record) => (record?.["type"] === "queued" ? [record["message"]] : []));
  const text = messages.filter(isRecord).find(({ source }) => source === "person")?.["text"];
  return { folder: typeof folder === "string" ? folder : "", task: typeof text === "string" ? sessionTitle(text) : "" };
}

type Deed =
  | { readonly kind: "rest"; readonly reason: string }
  /** The answer's calls: which one runs, and which one has not begun. */
  | { readonly kind: "calls"; readonly runs?: string | undefined; readonly waits?: string | undefined }
  | { readonly kind: "prompt" | "none" }
  | { readonly kind: "newer" };

const Call = z.object({ type: z.literal("call"), id: z.string(), name: z.string(), input: z.unknown() });

const KNOWN = new Set(
  "session queued refused message usage call-start call-end history gate model mode context snapshot undo rest".split(
    " ",
  ),
);

/** What a conversation did last, from the end of its log on. */
function lastDeed(lines: readonly string[]): Deed {
  const begun = new Set<unknown>();
  const ended = new Set<unknown>();
  for (const line of lines.toReversed()) {
    const record = recordIn(line);
    if (record === undefined) continue;
    const { type, callId, result } = record;
    if (typeof type !== "string" || !KNOWN.has(type)) return { kind: "newer" };
    if (record["agent"] !== undefined) continue;
    if (type === "call-start") begun.add(callId);
    if (type === "call-end" && isRecord(result)) ended.add(result["callId"]);
    if (type === "rest" && begun.size + ended.size === 0) return { kind: "rest", reason: String(record["reason"]) };
    if (type === "rest" || type === "queued" || type === "gate") return { kind: "prompt" };
    if (type === "message") return deedOf(record["message"], begun, ended);
  }
  return { kind: "none" };
}

/** An answer without calls, and a prompt, are followed by something that is not there yet. */
function deedOf(message: unknown, begun: ReadonlySet<unknown>, ended: ReadonlySet<unknown>): Deed {
  const parts = isRecord(message) ? z.array(z.unknown()).safeParse(message["parts"]).data : undefined;
  const calls = (parts ?? []).flatMap((part) => Call.safeParse(part).data ?? []);
  if (calls.length === 0) return { kind: "prompt" };
  const open = calls.filter(({ id }) => !ended.has(id));
  const text = (call: z.infer<typeof Call> | undefined) =>
    call === undefined ? undefined : callText(call.name, call.input);
  return {
    kind: "calls",
    runs: text(open.find(({ id }) => begun.has(id))),
    waits: text(open.find(({ id }) => !begun.has(id))),
  };
}

const RESTED: Readonly<Record<string, Pick<BoardEntry, "state" | "why">>> = {
  answered: { state: "claimed done", why: "nothing was checked" },
  "gate-gave-up": { state: "failed", why: "its check failed" },
  rejected: { state: "denied", why: "a call was rejected" },
  aborted: { state: "interrupted", why: "interrupted" },
  limit: { state: "failed", why: "stopped at a limit" },
  "no-progress": { state: "failed", why: "stopped without progress" },
};

const rested = (reason: string) => RESTED[reason] ?? { state: "failed" as const, why: reason };

function endedState(deed: Deed): Pick<Said, "state" | "why"> {
  if (deed.kind === "rest") return rested(deed.reason);
  if (deed.kind === "newer") return { state: "unknown", why: "written by a newer signalbox" };
  return { state: "interrupted", why: "its signalbox was killed" };
}

/** Judging a call, and opening the sandbox for it, take less. */
const JUDGED_MS = 5_000;

function liveState(own: Tail, agents: readonly { readonly id: string; readonly tail: Tail }[], now: Moment) {
  const all = [{ id: "", tail: own }, ...agents].map(({ id, tail }) => ({ id, tail, deed: lastDeed(tail.lines) }));
  for (const { id, tail, deed } of all) {
    const by = id === "" ? "" : ` (sub-agent ${id})`;
    if (deed.kind !== "calls" || deed.runs !== undefined || deed.waits === undefined) continue;
    if (now.at - tail.modified > JUDGED_MS)
      return {
        state: "needs you",
        source: "inferred",
        since: tail.modified,
        why: `seems to ask${by}: ${deed.waits}`,
      } as const;
  }
  const newest = all.reduce((one, other) => (other.tail.modified > one.tail.modified ? other : one));
  const deed = all[0]?.deed ?? { kind: "none" };
  const since = newest.tail.modified;
  if (deed.kind === "rest") {
    const { state, why } = rested(deed.reason);
    return { state, since, why: `${why}; waits for your next prompt` };
  }
  if (deed.kind === "newer") return { state: "unknown", since, why: "written by a newer signalbox" } as const;
  if (deed.kind === "none") return { state: "claimed done", since, why: "waits for your first prompt" } as const;
  return { since, ...logState(deedWords(newest.deed), now.at - newest.tail.modified) };
}

const deedWords = (deed: Deed) => (deed.kind === "calls" ? (deed.runs ?? deed.waits ?? "thinks") : "thinks");

/** The sub-agents that have not come to their end. */
function subAgentTails(folder: string, id: string): readonly { readonly id: string; readonly tail: Tail }[] {
  const place = agentsPath(folder, id);
  return namesIn(place).flatMap((name) => {
    const tail = name.endsWith(".jsonl") ? readTail(join(place, name)) : undefined;
    return tail === undefined || lastDeed(tail.lines).kind === "rest" ? [] : { id: basename(name, ".jsonl"), tail };
  });
}
