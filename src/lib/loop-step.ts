import { canonicalJson } from "./canonical-json.ts";
import { isRecord } from "./is-record.ts";
import { sha256 } from "./sha256.ts";
import type { LoopStep } from "./find-loop.ts";

/** A call and its result, by whatever agent. */
export interface CallAndResult {
  readonly name: string;
  readonly input: unknown;
  readonly result: string;
  readonly failed: boolean;
}

/** The calls of one answer as a step; undefined when none of them does or looks at anything. */
export function loopStep(calls: readonly CallAndResult[]): LoopStep | undefined {
  const telling = calls.filter(({ name }) => name !== "report_intent");
  if (telling.length === 0) return undefined;
  const keys = telling.map(callKey);
  const reasons = new Set(telling.map(({ failed, result }) => (failed ? shownText(result) : undefined)));
  const [failure] = reasons.size === 1 ? reasons : [];
  return { key: sha256(keys.toSorted().join("\n")), failure, waits: telling.some(isWaiting) };
}

/** Equal for calls that did the same with the same result. */
export const callKey = ({ name, input, result }: CallAndResult) => canonicalJson([name, input, shownText(result)]);

/**
 * A result without what differs from one moment to the next: times of day, durations, and our own files for output that
 * is too long to show. Other numbers stay, because a count that goes up or down is progress.
 */
const shownText = (text: string) =>
  text
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "DATE")
    .replaceAll(/\b\d?\d:\d\d:\d\d(?:[.,]\d+)?/g, "TIME")
    .replaceAll(/\b\d+(?:[.,]\d+)?\s?(?:ms|µs|ns|s|secs?|seconds?|m|mins?|minutes?)\b/g, "DURATION")
    .replaceAll(/\b(?:output|text)-[0-9a-f]{8,12}(?:-\d+)?\.txt\b/g, "FILE")
    .trim();

/** Tools that ask how something is doing that runs by itself. */
const ASKING = /^(?:read_bash|read_task|read_agent|wait_agent|BashOutput|TaskOutput|write_stdin)$/;
const WAITING_COMMAND = /(?<![-\w])(?:sleep|wait|watch)(?![-\w])|\btail\s+-[fF]\b|--(?:watch|wait)(?!\S)/;
const WAITING_RESULT =
  /\b(?:in[_ -]progress|queued|pending|still (?:running|building)|not (?:yet )?ready|starting|waiting|connection refused)\b/i;
/** A longer result is a text with such a word in it, and not the state of something. */
const MAX_STATE = 400;

function isWaiting({ name, input, result }: CallAndResult): boolean {
  const command = isRecord(input) ? input["command"] : undefined;
  return (
    ASKING.test(name) ||
    (typeof command === "string" && WAITING_COMMAND.test(command)) ||
    (typeof command === "string" && result.length <= MAX_STATE && WAITING_RESULT.test(result))
  );
}
