import type { LogEntry, Mark } from "./instrumented-tree.ts";

type Log = readonly LogEntry[];

/** What ran before the agent was started. */
export function untilAgentStarts(log: Log): Log {
  const start = log.findIndex((entry) => isMark(entry, "spawn") && entry[1].includes('/claude"'));
  return start === -1 ? [] : log.slice(0, start);
}

/** What ran between a PreToolUse request and its answer, from the moment the connection was accepted. */
export function duringToolCall(log: Log): Log {
  return log.flatMap((entry, start) => {
    if (!isMark(entry, "connected")) return [];
    const end = log.findIndex((later) => isMark(later, `written ${entry[1]}`));
    if (end === -1) return [];
    const window = log.slice(start, end);
    const request = window.flatMap((part) => (isMark(part, `read ${entry[1]}`) ? [part[1]] : [])).join("");
    return /"hook_event_name": ?"PreToolUse"/.test(request) ? window : [];
  });
}

const isMark = (entry: LogEntry, kind: string): entry is Mark => typeof entry !== "number" && entry[0] === kind;
