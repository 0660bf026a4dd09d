import { expect, test } from "vitest";
import { openHistory } from "../../contract/history.ts";
import { historyProblems } from "../../../test/support/history-problems.ts";
import type { SessionEvent } from "../../contract/engine-event.ts";
import { randomSession } from "../../../test/support/random-session.ts";

/** What is wrong with the order of events; empty when turns and calls open and close correctly. */
function nestingProblems(events: readonly SessionEvent[]): string[] {
  const problems: string[] = [];
  const open = new Set<string>();
  let inTurn = false;
  for (const [index, event] of events.entries()) {
    const must = (holds: boolean, what: string) => holds || problems.push(`event ${index} (${event.type}): ${what}`);
    switch (event.type) {
      case "turn-start":
        must(!inTurn, "a turn is open");
        inTurn = true;
        break;
      case "turn-end":
        must(inTurn, "no turn is open");
        must(open.size === 0, "a call is open");
        inTurn = false;
        break;
      case "tool-start":
        must(inTurn, "no turn is open");
        must(!open.has(event.call.id), "the call is open");
        open.add(event.call.id);
        break;
      case "tool-progress":
        must(open.has(event.callId), "the call is not open");
        break;
      case "tool-end":
        must(open.delete(event.result.callId), "the call is not open");
        break;
      case "run-end":
      case "idle":
        must(!inTurn, "a turn is open");
        break;
      default:
        break;
    }
  }
  return events.at(-1)?.type === "idle" ? problems : [...problems, "it does not end with idle"];
}

/** The history as reconstructed from the events. */
function retold(events: readonly SessionEvent[]) {
  const history = openHistory();
  for (const event of events) history.apply(event);
  return history.messages;
}

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
