import { gateReason } from "../../contract/gate-reason.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Gate } from "../../engine/gates.ts";
import type { Processor } from "../../engine/processor.ts";
import { endSummary } from "../../engine/run-session.ts";
import { taskComplete } from "../../tools/task-complete.ts";
import { filterTools, type ToolFilter } from "../../tools/tool-set.ts";
import type { ModeSwitch } from "./work-mode.ts";

/** Autopilot is the mode `auto`: the agent works on until it says that the task is complete. */
export interface Autopilot {
  /** `task_complete` while the mode is on, so that other sessions do not pay for it. */
  readonly tools: () => readonly Tool[];
  readonly processor: Processor;
  readonly gate: Gate;
}

interface AutopilotParts {
  readonly mode: Pick<ModeSwitch, "current">;
  readonly filters: readonly ToolFilter[];
  /** How often in a row it is told to go on. */
  readonly continues: number;
}

export function autopilot({ mode, filters, continues }: AutopilotParts): Autopilot {
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
      decorate: async () => (isOn() ? [WORDS] : []),
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

const WORDS = `Autopilot is on: nobody answers you, and you work until the task is complete.
- Complete means verified and persistent: you ran what shows that it works, changes are saved where they belong, configuration is applied and not only written, and what you started in the background was checked or stopped.
- When something fails, find out why and try another way before you give up.
- What a sub-agent reports is evidence to look at, not a verdict.
- Then call task_complete with what you did, how you checked it and what is left. If the task cannot be done, call it and say why.`;
