import { expect, test } from "vitest";
import type { Message } from "../contract/message.ts";
import { historyProblems } from "../models/history-problems.ts";
import type { SessionEvent } from "./event.ts";
import { randomSession } from "./random-session.ts";

/** What is wrong with the order of events; nothing when turns and calls open and close as they should. */
function nestingProblems(events: readonly SessionEvent[]): string[] {
  const problems: string[] = [];
  const open = new Set<string>();
  let inTurn = false;
  for (const [index, event] of events.entries()) {
    const complain = (what: string) => problems.push(`event ${index} (${event.type}): ${what}`);
    if (event.type === "turn-start") {
      if (inTurn) complain("a turn is open");
      inTurn = true;
    } else if (event.type === "turn-end") {
      if (!inTurn || open.size > 0) complain("no turn, or a call is open");
      inTurn = false;
    } else if (event.type === "tool-start") {
      if (!inTurn || open.has(event.call.id)) complain("outside a turn, or twice");
      open.add(event.call.id);
    } else if (event.type === "tool-progress") {
      if (!open.has(event.callId)) complain("the call is not open");
    } else if (event.type === "tool-end") {
      if (!open.delete(event.result.callId)) complain("the call is not open");
    } else if (event.type === "run-end" || event.type === "idle") {
      if (inTurn) complain("a turn is open");
    }
  }
  if (events.at(-1)?.type !== "idle") problems.push("it does not end with idle");
  return problems;
}

/** The history that a reader of the events would have. */
const retold = (events: readonly SessionEvent[]) =>
  events.reduce<readonly Message[]>((history, event) => {
    if (event.type === "message") return [...history, event.message];
    return event.type === "history-replaced" ? event.history : history;
  }, []);

test("whatever answers, errors, interruptions and outcomes come, the history stays valid, no call runs twice, and events nest", async () => {
  const reasons = new Set<string>();
  for (let seed = 1; seed <= 1500; seed++) {
    const { events, history, ran, outcome } = await randomSession(seed);
    const problems = [
      ...historyProblems(history),
      ...nestingProblems(events),
      ...(new Set(ran).size === ran.length ? [] : ["a call ran twice"]),
    ];
    expect({ seed, problems }).toEqual({ seed, problems: [] });
    expect(retold(events)).toEqual(history);
    reasons.add(outcome.reason);
  }
  expect([...reasons].toSorted()).toEqual([
    "aborted",
    "answered",
    "failed",
    "gate-gave-up",
    "limit",
    "refused",
    "rejected",
  ]);
});
