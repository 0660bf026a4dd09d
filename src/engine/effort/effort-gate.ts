import { gateReason } from "../../contract/gate-reason.ts";
import type { RecentWork } from "../../contract/work-metrics.ts";
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
  async check({ text, recent: work }) {
    const rule = brokenRule({ work, text, parts });
    return rule && gateReason(rule.verdict, rule.advice);
  },
});

interface Facts {
  readonly work: RecentWork;
  readonly text: string;
  readonly parts: EffortParts;
}

function brokenRule(facts: Facts): EffortRule | undefined {
  const kinds = taskKinds(facts.work.asked.join("\n"));
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
function count(measure: Measure, { work, text, parts }: Facts): number {
  const others = work.calls.filter(({ name }) => !parts.ownTools.has(name)).length;
  switch (measure) {
    case "changes":
      return work.written.size + others + unknownCommands(work, parts);
    case "commands":
      return work.commands + others;
    case "passes":
      return others + (work.lastCommand === "succeeded" ? 1 : 0);
    case "looks":
      return work.read.size + work.commands + others + work.calls.filter(({ name }) => LOOKING.has(name)).length;
    case "files": {
      const isWritten = (path: string) => [...work.written].some((written) => written.endsWith(`/${baseName(path)}`));
      return others + unknownCommands(work, parts) + (claimedFiles(text).every(isWritten) ? 1 : 0);
    }
  }
}

const LOOKING = new Set(["grep", "glob", "lsp", "task", "fetch", "web_search", "skill"]);

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** Commands that may have changed something, those of sub-agents included. */
function unknownCommands({ commands, calls }: RecentWork, { isReadOnly }: EffortParts): number {
  if (commands === 0) return 0;
  const looks = calls.filter(({ command }) => command !== undefined && isReadOnly(command)).length;
  return Math.max(0, commands - looks);
}
