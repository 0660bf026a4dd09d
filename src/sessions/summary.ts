import { statSync } from "node:fs";
import { printable } from "../lib/printable.ts";
import { logPath } from "./folder.ts";
import { readLog } from "./read-log.ts";
import { replay } from "./replay.ts";

/** One line of a list of sessions. */
export interface SessionSummary {
  readonly id: string;
  readonly cwd: string;
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
  /** The first prompt, shortened. */
  readonly title: string;
  readonly messages: number;
  /** `rested: why`, `interrupted`, `empty`, `newer`, `damaged` or `unreadable`. */
  readonly state: string;
}

/** Reads a log for the list. An unreadable log is listed too, so that the user learns about it. */
export function summarise(folder: string, id: string): SessionSummary {
  const updated = Math.round(statSync(logPath(folder, id), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  try {
    const log = readLog(logPath(folder, id));
    const { history, queued, model, rested } = replay(log.records.map(({ record }) => record));
    const asked = history.find((message) => message.role === "user" && message.source === "person");
    const first = asked?.role === "user" ? asked.text : (queued[0]?.message.text ?? "");
    const whole = rested === undefined ? "interrupted" : `rested: ${rested}`;
    const damage = log.damage?.newer === true ? "newer" : "damaged";
    const state = log.damage !== undefined ? damage : log.header === undefined ? "empty" : whole;
    return {
      id,
      cwd: log.header?.cwd ?? "",
      model,
      updated,
      title: sessionTitle(first),
      messages: history.length,
      state,
    };
  } catch {
    return { id, cwd: "", model: "", updated, title: "", messages: 0, state: "unreadable" };
  }
}

const MAX_TITLE = 80;

/** What a session is called: the beginning of its first prompt. */
export function sessionTitle(text: string): string {
  const line = printable(text.trim().split("\n")[0] ?? "").replaceAll("\n", " ");
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}
