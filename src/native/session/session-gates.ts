import { gateReason } from "../../contract/gate-reason.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Tool } from "../../contract/tool.ts";
import { decide } from "../../guard/decide-and-record.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { readOnlyPolicy } from "../../guard/policy/active-policy.ts";
import { firstFew, shortLine } from "../../lib/text/printable.ts";
import { effortGate } from "../engine/effort-gate.ts";
import { acceptanceGate, type Gate } from "../engine/gates.ts";
import type { Processor } from "../engine/processor.ts";
import { endSummary } from "../engine/run-session.ts";
import type { NativeSettings } from "../settings/session-settings.ts";
import { taskComplete } from "../tools/conversation-tools.ts";
import { TOOL_NAMES } from "../tools/tool-names.ts";
import { filterTools, type ToolFilter } from "../tools/tool-set.ts";
import type { NativeTools } from "./session-tools.ts";
import { type ModeSwitch, unlessPlan } from "./work-mode.ts";

interface GateFrame {
  readonly policy: Policy;
  readonly mode: ModeSwitch;
  /** Nobody watches, so that nobody would notice what is missing. */
  readonly isUnattended: boolean;
  readonly autopilot: Gate;
}

/** The gates of a conversation, in the order they are asked. The `agentStop` hooks come after them. */
export function nativeGates(
  { accept }: Pick<NativeSettings, "accept">,
  { runCheck, openItems }: Pick<NativeTools, "runCheck" | "openItems">,
  { policy, mode, isUnattended, autopilot }: GateFrame,
): readonly Gate[] {
  const alone = (gate: Gate) => whenAlone(gate, () => isUnattended || mode.current === "auto");
  return [
    autopilot,
    ...(accept === undefined ? [] : [acceptanceGate(accept, runCheck)]),
    alone(effortGate({ isReadOnly: readOnlyCommands(policy), ownTools: OWN_TOOLS })),
    alone(workItemsGate(openItems)),
  ].map((gate) => unlessPlan(gate, mode));
}

const OWN_TOOLS: ReadonlySet<string> = new Set(TOOL_NAMES);

/** A person in a conversation sees what was not done, and may want to be asked in the middle of it. */
const whenAlone = (gate: Gate, isAlone: () => boolean): Gate => ({
  ...gate,
  check: async (step) => (isAlone() ? await gate.check(step) : undefined),
});

/** The preset that only reads decides, as in plan mode. */
function readOnlyCommands({ workspaceRoot: cwd }: Policy): (command: string) => boolean {
  let policy: Policy | undefined;
  return (command) => {
    policy ??= readOnlyPolicy(cwd);
    return decide({ tool: "bash", input: { command }, cwd }, policy, realMachine).verdict === "allow";
  };
}

const MAX_NAMED = 10;

const MAX_TITLE = 120;

/** Work items that were begun or never begun. One that is blocked says itself why it is not done. */
function workItemsGate(openItems: NativeTools["openItems"]): Gate {
  const left = () => openItems().filter(({ state }) => state !== "blocked");
  return {
    name: "work-items",
    exitCode: 9,
    most: 3,
    state: () =>
      left()
        .map(({ id, state }) => `${id} ${state}`)
        .join(),
    async check() {
      const items = left();
      if (items.length === 0) return undefined;
      const named = items.map(({ id, title }) => `${id} (${shortLine(title, MAX_TITLE)})`);
      const count = items.length === 1 ? "a work item is" : `${items.length} work items are`;
      return gateReason(`${count} still open: ${firstFew(named, MAX_NAMED).join(", ")}`, CLOSE);
    },
  };
}

const CLOSE =
  "Do what is left, then close each item with todo: done when it is done, dropped when it is not needed, blocked with a note when it cannot be done now.";

/** Autopilot is the mode `auto`: the agent works on until it says that the task is complete. */
interface Autopilot {
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
