import { join } from "node:path";
import { AgentEvent } from "../contract/agent-event.ts";
import { callText } from "../contract/agent-call.ts";
import type { BoardEntry } from "../contract/board-entry.ts";
import { SessionRecord } from "../contract/session-record.ts";
import { logPath, sessionsPlace } from "../native/log/log-folder.ts";
import { LogLine, runsFolder } from "../receipts/run/run-log.ts";
import { launchEvents, launchFolder } from "./launches.ts";
import { readTail, recordIn } from "./read-tail.ts";

/** A call, and what was said about it; empty where that is not known here. */
export interface BoardCall {
  /** Milliseconds since 1970; 0 where nothing says when. */
  readonly at: number;
  readonly text: string;
  readonly verdict: "allow" | "ask" | "deny" | "";
  readonly because: string;
  /** The sub-agent that made it. */
  readonly by: string;
}

/** The newest calls of something that has no receipt yet, oldest first. */
export function liveCalls(home: string, { kind, id }: Pick<BoardEntry, "kind" | "id">): readonly BoardCall[] {
  switch (kind) {
    case "launch":
      return launchCalls(home, id);
    case "run":
      return lines(join(runsFolder(home), id, "log.jsonl")).flatMap(runCall);
    case "session":
      return lines(logPath(sessionsPlace(home), id)).flatMap(sessionCalls);
    case "receipt":
      return [];
  }
}

const lines = (path: string) => (readTail(path)?.lines ?? []).map((line) => recordIn(line));

function launchCalls(home: string, id: string): readonly BoardCall[] {
  const folder = launchFolder(home, id);
  const events = (folder === undefined ? undefined : launchEvents(folder)) ?? [];
  return events.flatMap((event) => {
    if (event.t !== "call") return [];
    const { at, text, because, by, left } = event;
    return { at, text, verdict: left === "person" ? "ask" : event.verdict, because, by };
  });
}

function runCall(record: unknown): readonly BoardCall[] {
  const line = LogLine.safeParse(record).data;
  if (line?.t === "judged") {
    const { tool, input, verdict, because } = line;
    return [{ at: 0, text: callText(tool, input), verdict, because, by: "" }];
  }
  const event = line?.t === "event" ? AgentEvent.safeParse(line.event).data : undefined;
  if (event?.type !== "tool_call") return [];
  const at = Date.parse(event.ts);
  return [{ at, text: callText(event.tool_name, event.input), verdict: "", because: "", by: "" }];
}

function sessionCalls(record: Readonly<Record<string, unknown>> | undefined): readonly BoardCall[] {
  const at = typeof record?.["at"] === "number" ? record["at"] : 0;
  const parsed = SessionRecord.safeParse(record).data;
  if (parsed?.type !== "message" || parsed.message.role !== "assistant") return [];
  const { agent: by = "" } = parsed;
  return parsed.message.parts.flatMap((part) =>
    part.type === "call" ? [{ at, text: callText(part.name, part.input), verdict: "" as const, because: "", by }] : [],
  );
}
