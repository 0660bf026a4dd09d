import type { BoardEntry, LaunchEvent, LaunchHeader } from "../contract/board-entry.ts";
import { sealedState } from "./sealed.ts";

/** What is said about an entry. */
export type Said = Pick<BoardEntry, "state" | "source" | "since" | "why">;

/** Now, by the clock on the wall and by one that nobody sets. */
export interface Moment {
  readonly at: number;
  readonly up: number;
}

/** Without any event for this long, something that works is called stalled. */
export const STALLED_MS = 10 * 60_000;

/** An agent that decides for itself about a call runs it at once, or asks its person. */
const DECIDED_MS = 5_000;

/** Calls that an agent makes side by side are reported in one go; a later one follows an answer. */
const SIDE_BY_SIDE_MS = 1_500;

/** Tools that take no time, so that a call which does not end is waiting for a person. */
const QUICK = /edit|write|patch|create|replace|read/i;

type Call = Extract<LaunchEvent, { t: "call" }>;

/** What a launch does whose process lives, by what its hooks have reported. */
export function launchState(header: LaunchHeader, events: readonly LaunchEvent[], now: Moment): Said {
  const last = events.at(-1);
  if (last === undefined)
    return { state: "unknown", source: "process", since: header.started, why: "no hook event yet" };
  const since = (event: LaunchEvent) => now.at - ageOf(event, now);
  const open = openCalls(events);
  const asked = open.find(({ left }) => left === "person");
  if (asked !== undefined && header.interactive)
    return {
      state: "needs you",
      source: "hook",
      since: since(asked),
      why: `asks${by(asked)}: ${asked.text}`,
    };
  if (last.t === "exit")
    return { state: "running", source: "hook", since: since(last), why: "has ended; is checked and sealed" };
  if (last.t === "stop" && !last.sentBack) return { ...stopped(last), source: "hook", since: since(last) };
  const age = ageOf(last, now);
  const own = open.at(-1);
  if (header.interactive && own === last && last.t === "call" && last.left === "agent" && age > DECIDED_MS)
    return QUICK.test(last.tool)
      ? {
          state: "needs you",
          source: "inferred",
          since: since(last),
          why: `seems to ask${by(last)}: ${last.text}`,
        }
      : {
          state: "unknown",
          source: "inferred",
          since: since(last),
          why: `runs, or asks${by(last)}: ${last.text}`,
        };
  const why = own === undefined || last.t === "call" ? words(last) : `${own.text}${by(own)}`;
  if (age <= STALLED_MS) return { state: "running", source: "hook", since: since(last), why };
  return {
    state: "stalled",
    source: "inferred",
    since: since(last),
    why: `no event for ${Math.round(age / 60_000)} min, after: ${why}`,
  };
}

/** The clock on the wall may have been set since. The other one began anew if the machine was restarted. */
const ageOf = ({ at, up }: LaunchEvent, now: Moment): number =>
  Math.max(0, now.up > up - 1000 ? now.up - up : now.at - at);

const by = (call: Call) => (call.by === "" ? "" : ` (sub-agent ${call.by.slice(0, 12)})`);

/** The calls that have not ended, oldest first. */
function openCalls(events: readonly LaunchEvent[]): readonly Call[] {
  let open: Call[] = [];
  for (const event of events) {
    switch (event.t) {
      case "call":
        // Who calls something else has the answer to its question.
        open = open.filter((call) => call.by !== event.by || event.up - call.up < SIDE_BY_SIDE_MS);
        if (event.verdict !== "deny") open.push(event);
        break;
      case "end":
        open = without(open, event);
        break;
      case "prompt":
      case "exit":
        open = [];
        break;
      case "stopping":
      case "stop":
        open = open.filter((call) => call.by !== "");
        break;
    }
  }
  return open;
}

/** An agent may report a rewritten call, so the tool decides if no text is the same; what was asked ends last. */
function without(open: readonly Call[], end: Extract<LaunchEvent, { t: "end" }>): Call[] {
  const same = open.filter((call) => call.by === end.by && call.tool === end.tool);
  const ended = same.find(({ text }) => text === end.text) ?? same.find(({ left }) => left !== "person") ?? same[0];
  return open.filter((call) => call !== ended);
}

function stopped({ verified, line }: Extract<LaunchEvent, { t: "stop" }>): Pick<Said, "state" | "why"> {
  const waits = "waits for your next prompt";
  if (verified === "not_checked") return { state: "claimed done", why: line === "" ? waits : `${line}; ${waits}` };
  return { ...sealedState({ stopped: "answered", verified }), why: line };
}

function words(event: LaunchEvent): string {
  switch (event.t) {
    case "call":
      return `${event.verdict === "deny" ? "denied: " : ""}${event.text}${by(event)}`;
    case "end":
      return `after ${event.text}`;
    case "prompt":
      return "works on a prompt";
    case "stopping":
      return "its work is checked";
    case "stop":
      return `sent back: ${event.line}`;
    case "exit":
      return "has ended";
  }
}
