import type { AskPerson, Permit } from "../../contract/tool.ts";
import type { WorkMode } from "../../contract/engine-settings.ts";
import type { Gate } from "../engine/gates.ts";
import type { Processor } from "../engine/processor.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Decision } from "../../contract/verdict.ts";
import { decide, recordDecision, type RecordParts } from "../../guard/decide-and-record.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { readOnlyPolicy } from "../../guard/policy/active-policy.ts";
import type { AskUser } from "../tools/conversation-tools.ts";
import { READING_TOOLS } from "../undo/session-undo.ts";

/** The mode of a session. It may change at any time. */
export interface ModeSwitch {
  readonly current: WorkMode;
  set(mode: WorkMode): void;
}

/** `record` is called with every change, so that a resumed session goes on in the same mode. */
export function modeSwitch(first: WorkMode, record: (mode: WorkMode) => void): ModeSwitch {
  let current = first;
  return {
    get current() {
      return current;
    },
    set(mode) {
      if (mode === current) return;
      record(mode);
      current = mode;
    },
  };
}

const NOT_YET =
  "Plan mode: nothing is changed until the user approves the plan. Read what you need, then answer with the plan.";

interface PlanParts extends Omit<RecordParts, "machine"> {
  readonly mode: Pick<ModeSwitch, "current">;
  readonly workspace: string;
  /** What the model is told, where it is not the user's plan mode. */
  readonly words?: string;
}

/** In plan mode, lets only calls through that read. The session's own rules apply to those as well. */
export function planPermit(permit: Permit, parts: PlanParts): Permit {
  const { mode, workspace: cwd, words = NOT_YET } = parts;
  let policy: Policy | undefined;
  return async (call, signal) => {
    if (mode.current !== "plan" || READING_TOOLS.has(call.name)) return await permit(call, signal);
    policy ??= readOnlyPolicy(cwd);
    const judged = { tool: call.name, input: call.input, cwd };
    // Judged as if there were no sandbox, since the one of the session lets commands write.
    const decision = call.name === "bash" ? decide(judged, policy, realMachine) : denied(call.name, words);
    if (decision.verdict === "allow") return await permit(call, signal);
    const settled = { ...decision, verdict: "deny", code: "plan-mode" } as const;
    const { because } = recordDecision(judged, policy, { ...parts, machine: realMachine, decision: settled });
    return { verdict: "deny", because: because === words ? because : `${words} (${because})` };
  };
}

const denied = (tool: string, because: string): Decision => ({
  verdict: "deny",
  code: "plan-mode",
  rules: ["mode:plan"],
  because,
  effects: [],
  findings: [{ verdict: "deny", code: "plan-mode", rule: "mode:plan", because, fragment: tool }],
});

/** Tells the model about plan mode, with each request while it lasts. */
export const planProcessor = (mode: ModeSwitch): Processor => ({
  name: "plan mode",
  async decorate() {
    return mode.current === "plan" ? [PLAN_WORDS] : [];
  },
});

const PLAN_WORDS = `Plan mode is on: read files and run commands that only read, and change nothing. Answer with a plan that the user can approve: what you would change, in which files, in what order, how you would check it, and what is uncertain.`;

/** A gate that does not ask for results while there is only a plan. */
export const unlessPlan = (gate: Gate, mode: ModeSwitch): Gate => ({
  ...gate,
  check: async (step) => (mode.current === "plan" ? undefined : await gate.check(step)),
});

interface People {
  readonly askPerson: AskPerson | undefined;
  readonly askUser: AskUser | undefined;
}

/** In auto mode nobody is asked. */
export const unlessAuto = ({ askPerson, askUser }: People, mode: ModeSwitch): People => ({
  askPerson: askPerson && (async (...asked) => (mode.current === "auto" ? "nobody" : await askPerson(...asked))),
  askUser: askUser && (async (...asked) => (mode.current === "auto" ? ALONE : await askUser(...asked))),
});

const ALONE = "Nobody is asked in auto mode. Decide yourself, and say what you assumed.";
