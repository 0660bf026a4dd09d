import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPayload } from "../agents/pack/hook-event.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import { toolKind } from "../guard/judge/tool-call.ts";
import { canonicalJson, isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { sha256 } from "../lib/json/sha256.ts";
import { type HookOutput, serversFolder } from "./server-protocol.ts";
import { type AnswerRequest, isOfOtherAgent } from "./server.ts";

interface KnownEvent {
  readonly output: Promise<HookOutput>;
  readonly vias: Set<string>;
  readonly until: number;
}

/** All registrations report the same event at about the same time. */
const SAME_EVENT_MILLISECONDS = 5000;

/**
 * Judges an event that several registrations report only once, and gives all of them the same answer. The same event from
 * the same registration is a new one, because agents do repeat calls. A wrapper of another agent only gets an answer, which
 * is no opinion, if the event was judged before; otherwise it must ask elsewhere.
 */
export function deduplicateEvents(answer: AnswerRequest, now = () => performance.now()): AnswerRequest {
  const known = new Map<string, KnownEvent>();
  return async (request) => {
    for (const [other, { until }] of known) if (until < now()) known.delete(other);
    const key = eventKey(request) ?? `${request.event}\n${request.text}`;
    const before = known.get(key);
    if (before !== undefined && !before.vias.has(request.via)) {
      before.vias.add(request.via);
      const output = await before.output;
      return isOfOtherAgent(request.via) ? { stdout: "{}\n", stderr: "", exit: 0 } : output;
    }
    if (isOfOtherAgent(request.via)) throw new Error("this event was not reported by the agent of this launch");
    const output = answer(request);
    const event = { output, vias: new Set([request.via]), until: now() + SAME_EVENT_MILLISECONDS };
    known.set(key, event);
    // The next registration sees the arguments that this answer returns.
    const changed = inputIn((await output).stdout);
    const next = changed === undefined ? undefined : eventKey(request, changed);
    if (next !== undefined) known.set(next, event);
    return await output;
  };
}

/** The second report follows at once. */
const REMEMBERED_MILLISECONDS = 60_000;

interface StagedReport {
  readonly event: HookEventName;
  readonly text: string;
}

interface Places {
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly folder: string;
  /** Wrappers of other agents that this agent runs as well. */
  readonly others: readonly string[];
}

/**
 * Remembers an event that was answered, if its agent will also report it to the wrapper of another agent in this repository.
 * On disk, because each report may be answered by another process.
 */
export function rememberEvent(call: StagedReport, output: HookOutput, { workspace, folder, others }: Places): void {
  if (!others.some((wrapper) => existsSync(join(workspace, wrapper)))) return;
  const changed = inputIn(output.stdout);
  const keys = [eventKey(call), changed === undefined ? undefined : eventKey(call, changed)];
  for (const key of new Set(keys)) if (key !== undefined) writeFileSync(fileOf(folder, key), "", { mode: 0o600 });
}

/** True once for an event that was just answered for the agent that reports it. Only for the wrapper of another agent. */
export function takeAnsweredEvent(call: StagedReport, folder: string): boolean {
  const key = eventKey(call);
  const file = key === undefined ? undefined : fileOf(folder, key);
  const stat = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file === undefined || stat === undefined) return false;
  rmSync(file, { force: true });
  return Math.abs(Date.now() - stat.mtimeMs) < REMEMBERED_MILLISECONDS;
}

const fileOf = (folder: string, key: string) => join(serversFolder(folder), `answered-${sha256(key)}`);

interface Report {
  readonly event: HookEventName;
  readonly text: string;
}

/**
 * The same text for all reports of one event, also if an agent reports it in the fields of another agent. Undefined for
 * an agent that does not send the time of the event: without it, a repeated call would look the same.
 * `changedInput` replaces the arguments, because the next hook sees those that the previous one returned.
 */
export function eventKey({ event, text }: Report, changedInput?: unknown): string | undefined {
  const payload = payloadIn(text);
  if (payload === undefined) return undefined;
  const session = either(payload["sessionId"], payload["session_id"]);
  const time = timeOf(payload["timestamp"]);
  if (typeof session !== "string" || time === undefined) return undefined;
  if (event !== "tool-before" && event !== "tool-after") return canonicalJson([event, session, time]);
  const tool = either(payload["toolName"], payload["tool_name"]);
  const input = changedInput ?? either(payload["toolArgs"], payload["tool_input"]);
  if (typeof tool !== "string" || input === undefined) return undefined;
  const kind = toolKind(tool);
  return canonicalJson([event, session, time, kind === "unknown" || kind === "plan" ? tool : kind, input]);
}

/** The arguments that an answer gives the tool instead of its own. */
function inputIn(stdout: string): unknown {
  try {
    const answer: unknown = parseJson(stdout);
    if (!isRecord(answer)) return undefined;
    const nested = answer["hookSpecificOutput"];
    return answer["modifiedArgs"] ?? (isRecord(nested) ? nested["updatedInput"] : undefined);
  } catch {
    return undefined;
  }
}

function payloadIn(text: string) {
  try {
    return readPayload(text);
  } catch {
    return undefined;
  }
}

/** A report that has both could be read as two different events. */
const either = (one: unknown, other: unknown) =>
  one === undefined || other === undefined ? (one ?? other) : undefined;

function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isSafeInteger(time) ? time : undefined;
}
