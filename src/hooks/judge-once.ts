import type { HookOutput } from "./hook-answer.ts";
import type { HookRequest } from "./server.ts";

type Answer = (request: HookRequest) => Promise<HookOutput>;

interface Known {
  readonly output: Promise<HookOutput>;
  readonly vias: Set<string>;
  readonly until: number;
}

/** Two registrations tell of one event at about the same time. */
const MILLISECONDS = 5000;

/**
 * An event that comes by two registrations is judged once, and both get the same answer. The same words by the same
 * registration are another event: agents do repeat themselves.
 */
export function judgeOnce(answer: Answer, now: () => number): Answer {
  const known = new Map<string, Known>();
  return (request) => {
    const key = `${request.event}\n${request.text}`;
    for (const [other, { until }] of known) if (until < now()) known.delete(other);
    const before = known.get(key);
    if (before !== undefined && !before.vias.has(request.via)) {
      before.vias.add(request.via);
      return before.output;
    }
    const output = answer(request);
    known.set(key, { output, vias: new Set([request.via]), until: now() + MILLISECONDS });
    return output;
  };
}
