import type { WorkMode } from "../../contract/engine-settings.ts";
import { gateReason } from "../../contract/gate-reason.ts";
import type { AskPerson, AskUser, Tool, ToolFilter } from "../../contract/tool.ts";
import { oneAtATime } from "../../lib/process/tasks.ts";
import type { Gate } from "../engine/gates.ts";
import type { Processor } from "../engine/processor.ts";
import { endSummary } from "../engine/run-session.ts";
import type { Session } from "../log/session-log.ts";
import { taskComplete } from "../tools/conversation-tools.ts";
import { filterTools } from "../tools/tool-names.ts";

/** The mode of a session. It may change at any time. */
export interface ModeSwitch {
  readonly current: WorkMode;
  set(mode: WorkMode): void;
}

/**
 * A resumed session goes on in the mode it was in, unless another is `wanted`. `forNew` is about new ones. Every change
 * is logged.
 */
export function sessionMode(session: Session, wanted: WorkMode | undefined, forNew: WorkMode | undefined): ModeSwitch {
  let current = session.before.findLast((record) => record.type === "mode")?.mode ?? "ask";
  const set = (mode: WorkMode) => {
    if (mode === current) return;
    session.append({ type: "mode", mode });
    current = mode;
  };
  const first = wanted ?? (session.before.length === 0 ? forNew : undefined);
  if (first !== undefined) set(first);
  return {
    get current() {
      return current;
    },
    set,
  };
}

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
  tellsPass: () => mode.current !== "plan" && gate.tellsPass?.() === true,
  check: async (step) => (mode.current === "plan" ? undefined : await gate.check(step)),
});

/** The people who can be asked; undefined where nobody can. */
interface People {
  readonly askPerson?: AskPerson | undefined;
  readonly askUser?: AskUser | undefined;
}

/**
 * A person can answer one question at a time, however many agents of a session ask, and is not asked at all in auto
 * mode.
 */
export function people({ askPerson, askUser }: People, mode: ModeSwitch): People {
  const turn = oneAtATime();
  return {
    askPerson:
      askPerson && (async (...asked) => (mode.current === "auto" ? "nobody" : await turn(() => askPerson(...asked)))),
    askUser: askUser && (async (...asked) => (mode.current === "auto" ? ALONE : await turn(() => askUser(...asked)))),
  };
}

const ALONE = "Nobody is asked in auto mode. Decide yourself, and say what you assumed.";

/** Autopilot is the mode `auto`: the agent works on until it says that the task is complete. */
interface Autopilot {
  /** `task_complete` while the mode is on, so that other sessions do not pay for it. */
  readonly tools: () => readonly Tool[];
  readonly processor: Processor;
  readonly gate: Gate;
}

/** It is told to go on `continues` times in a row. */
export function autopilot(mode: ModeSwitch, filters: readonly ToolFilter[], continues: number): Autopilot {
  // It belongs to the mode, so that a list of allowed tools need not name it. Where it is denied, every stop is one.
  const tool = filterTools(
    [taskComplete],
    filters.map(({ deny }) => ({ deny })),
  );
  const isOn = () => mode.current === "auto" && tool.length > 0;
  return {
    tools: () => (isOn() ? tool : []),
    processor: {
      name: "autopilot",
      decorate: async () => (isOn() ? [AUTOPILOT_WORDS] : []),
    },
    gate: {
      name: "autopilot",
      exitCode: 5,
      most: continues,
      countsAll: true,
      cutsOff: (most) => `cut off: it stopped ${most + 1} times without saying that the task is complete`,
      check: async ({ history }) =>
        isOn() && endSummary(history.at(-1)) === undefined ? gateReason(STOPPED, GO_ON) : undefined,
    },
  };
}

const STOPPED = "you stopped without calling task_complete";

const GO_ON =
  "Stop planning and do it: carry on with what is left. When everything is done and checked, call task_complete and say so. If nothing is left, call it now.";

const AUTOPILOT_WORDS = `Autopilot is on: nobody answers you, and you work until the task is complete.
- Complete means verified and persistent: you ran what shows that it works, changes are saved where they belong, configuration is applied and not only written, and what you started in the background was checked or stopped.
- When something fails, find out why and try another way before you give up.
- What a sub-agent reports is evidence to look at, not a verdict.
- Then call task_complete with what you did, how you checked it and what is left. If the task cannot be done, call it and say why.`;
