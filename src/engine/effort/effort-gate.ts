import { gateReason } from "../../contract/gate-reason.ts";
import type { CallPart, Message } from "../../contract/message.ts";
import type { WorkMetrics } from "../../contract/work-metrics.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Gate } from "../gates.ts";
import { admitsGap, claimedFiles, claimsChange, claimsChecksPass } from "./claims.ts";
import { type Claim, EFFORT_BLOCKS, EFFORT_RULES, type EffortRule, type Measure } from "./effort-rules.ts";
import { taskKinds } from "./task-kind.ts";

interface EffortParts {
  /** True for a command that certainly changes nothing. */
  readonly isReadOnly: (command: string) => boolean;
  /** Our own tools, which say themselves what they did. Any other may have done anything. */
  readonly ownTools: ReadonlySet<string>;
}

/**
 * Compares what was asked and what the answer claims with what was done. It objects only where the three contradict
 * each other beyond doubt; an answer that admits a gap passes.
 */
export const effortGate = (parts: EffortParts): Gate => ({
  name: "effort",
  exitCode: 9,
  most: EFFORT_BLOCKS,
  async check({ history, text, recent }) {
    const rule = brokenRule({ work: workSince(history), text, metrics: recent, parts });
    return rule && gateReason(rule.verdict, rule.advice);
  },
});

interface Facts {
  readonly work: { readonly asked: string; readonly calls: readonly CallPart[]; readonly isWhole: boolean };
  readonly text: string;
  readonly metrics: WorkMetrics;
  readonly parts: EffortParts;
}

function brokenRule(facts: Facts): EffortRule | undefined {
  const kinds = taskKinds(facts.work.asked);
  if (kinds.size === 0 || admitsGap(facts.text)) return undefined;
  return EFFORT_RULES.find(({ tasks, claim, fewer: [measure, than] }) => {
    if (!tasks.some((kind) => kinds.has(kind))) return false;
    return (claim === undefined || CLAIMS[claim](facts.text)) && count(measure, facts) < than;
  });
}

const CLAIMS: Readonly<Record<Claim, (text: string) => boolean>> = {
  changed: claimsChange,
  "checks-pass": claimsChecksPass,
  "new-file": (text) => claimedFiles(text).length > 0,
};

/** What is not known counts as done. */
function count(measure: Measure, { work, text, metrics, parts }: Facts): number {
  const others = work.isWhole ? work.calls.filter(({ name }) => !parts.ownTools.has(name)).length : 1;
  switch (measure) {
    case "changes":
      return metrics.written.size + others + unknownCommands(work.calls, metrics, parts);
    case "commands":
      return metrics.commands + others;
    case "passes":
      return others + (metrics.lastCommand === "succeeded" ? 1 : 0);
    case "looks":
      return metrics.read.size + metrics.commands + others + work.calls.filter(({ name }) => LOOKING.has(name)).length;
    case "files": {
      const isWritten = (path: string) =>
        [...metrics.written].some((written) => written.endsWith(`/${baseName(path)}`));
      return others + unknownCommands(work.calls, metrics, parts) + (claimedFiles(text).every(isWritten) ? 1 : 0);
    }
  }
}

const LOOKING = new Set(["grep", "glob", "lsp", "task", "fetch", "web_search", "skill"]);

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** Commands that may have changed something, those of sub-agents and forgotten ones included. */
function unknownCommands(calls: readonly CallPart[], { commands }: WorkMetrics, { isReadOnly }: EffortParts): number {
  if (commands === 0) return 0;
  const texts = calls.flatMap(({ name, input }) => (name === "bash" && isRecord(input) ? input["command"] : []));
  const looks = texts.filter((command) => typeof command === "string" && isReadOnly(command)).length;
  return Math.max(0, commands - looks);
}

/** What the person asked last, and what was called since. A shortened history is not the whole of it. */
function workSince(history: readonly Message[]): Facts["work"] {
  const isPrompt = (message: Message | undefined) => message?.role === "user" && message.source === "person";
  const start = history.findLastIndex((message, at) => isPrompt(message) && endsRun(history[at - 1]));
  const since = history.slice(Math.max(0, start));
  return {
    asked: since
      .flatMap((message) => (message.role === "user" && message.source === "person" ? message.text : []))
      .join("\n"),
    calls: since.flatMap((message) =>
      message.role === "assistant" ? message.parts.filter((part) => part.type === "call") : [],
    ),
    isWhole: !history.some((message) => message.role === "user" && message.source === "summary"),
  };
}

/** True where a prompt begins something new instead of steering what is going on. */
const endsRun = (before: Message | undefined) =>
  before === undefined ||
  (before.role === "assistant" && before.stop !== "calls") ||
  (before.role === "tool" && before.results.some(({ ends }) => ends !== undefined));
