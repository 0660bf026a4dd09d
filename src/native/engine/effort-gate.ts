import { gateReason } from "../../contract/gate-reason.ts";
import type { RecentWork } from "../../contract/work-metrics.ts";
import type { Gate } from "./gates.ts";
import {
  admitsGap,
  claimedFiles,
  claimsChange,
  claimsChecksPass,
  type TaskKind,
  taskKinds,
} from "./task-and-claims.ts";

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

/** What is counted, since the prompt that is being worked on. */
type Measure = "changes" | "commands" | "passes" | "looks" | "files";

type Claim = "changed" | "checks-pass" | "new-file";

/** A session that does not look as if its task was done. Plain data: who counts and who reads the texts is elsewhere. */
interface EffortRule {
  readonly name: string;
  /** The tasks it is about. Questions are in none of them. */
  readonly tasks: readonly TaskKind[];
  /** What the answer must claim; absent: whatever it says. */
  readonly claim?: Claim;
  /** It applies when there are fewer of these. */
  readonly fewer: readonly [measure: Measure, than: number];
  /** What is wrong, for a person and the model. */
  readonly verdict: string;
  /** What the model should do. */
  readonly advice: string;
}

/** How often the gate may object in a row while nothing changes. A model that insists will not do better later. */
const EFFORT_BLOCKS = 3;

/** In the order they are asked; the first that applies decides. */
const EFFORT_RULES: readonly EffortRule[] = [
  {
    name: "nothing changed",
    tasks: ["change"],
    fewer: ["changes", 1],
    verdict: "the task asks for a change, and nothing was changed",
    advice:
      'Make the change now and check it. If nothing has to be changed, or if you cannot do it, answer with a line that begins with "No change:" and says why.',
  },
  {
    name: "claimed change",
    tasks: ["maybe-change"],
    claim: "changed",
    fewer: ["changes", 1],
    verdict: "the answer says that something was changed, and nothing was",
    advice:
      'Make the change now and check it. If nothing had to be changed, answer with a line that begins with "No change:" and says why.',
  },
  {
    name: "checks not run",
    tasks: ["change", "maybe-change", "run"],
    claim: "checks-pass",
    fewer: ["passes", 1],
    verdict: "the answer says that checks pass, but the last command failed or none was run",
    advice:
      'Run them now and report what they print. If you cannot run them, answer with a line that begins with "Not run:" and says why.',
  },
  {
    name: "nothing run",
    tasks: ["run"],
    fewer: ["commands", 1],
    verdict: "the task asks to run something, and no command was run",
    advice:
      'Run it now and report what it prints. If you cannot run it, answer with a line that begins with "Not run:" and says why.',
  },
  {
    name: "nothing read",
    tasks: ["review"],
    fewer: ["looks", 1],
    verdict: "the task asks for a review, and nothing was read",
    advice:
      'Read the files and then say what you found. If you cannot read them, answer with a line that begins with "Not done:" and says why.',
  },
  {
    name: "file missing",
    tasks: ["change", "maybe-change"],
    claim: "new-file",
    fewer: ["files", 1],
    verdict: "the answer says that a file was created, and it was not",
    advice: "Create it now, or correct what you said.",
  },
];
