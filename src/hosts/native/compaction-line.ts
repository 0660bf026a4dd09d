import type { CompactionTrigger, SessionEvent } from "../../contract/engine-event.ts";
import { shortLine } from "../../lib/short-line.ts";

const tokens = (count: number) => count.toLocaleString("en");

const TRIGGERS: Readonly<Record<CompactionTrigger, string>> = {
  background: "a summary is being written while it works on",
  blocking: "waiting for a summary",
  forced: "the provider takes no more; waiting for a summary",
  asked: "writing a summary",
};

/** What happened to a conversation that was being shortened; undefined for other events. */
export function compactionLine(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "compaction-start":
      return `the conversation has ${tokens(event.tokens)} of ${tokens(event.limit)} tokens; ${TRIGGERS[event.trigger]}`;
    case "compaction-end":
      return `the conversation was shortened from ${tokens(event.tokensBefore)} to ${tokens(event.tokensAfter)} tokens; signalbox sessions dropped shows what was left out`;
    case "compaction-failed":
      return `the conversation was not shortened: ${shortLine(event.because, 200)}`;
    case "compaction-stopped":
      return shortLine(event.because, 200);
    default:
      return undefined;
  }
}
