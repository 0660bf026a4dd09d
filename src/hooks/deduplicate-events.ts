import { eventKey, inputIn } from "./event-key.ts";
import type { HookOutput } from "./hook-answer.ts";
import { isOfOtherAgent, type AnswerRequest } from "./server.ts";

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
      return isOfOtherAgent(request) ? { stdout: "{}\n", stderr: "", exit: 0 } : output;
    }
    if (isOfOtherAgent(request)) throw new Error("this event was not reported by the agent of this launch");
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
