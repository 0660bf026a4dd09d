import { gateReason } from "../../contract/gate-reason.ts";
import type { Policy } from "../../contract/policy.ts";
import { effortGate } from "../../engine/effort/effort-gate.ts";
import { acceptanceGate, type Gate } from "../../engine/gates.ts";
import { decide } from "../../guard/decide-and-record.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { readOnlyPolicy } from "../../guard/policy/active-policy.ts";
import { shortLine } from "../../lib/short-line.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import type { NativeTools } from "./native-tools.ts";
import type { NativeSettings } from "./native-settings.ts";
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
      const named = items.slice(0, MAX_NAMED).map(({ id, title }) => `${id} (${shortLine(title, MAX_TITLE)})`);
      const more = items.length > MAX_NAMED ? [`and ${items.length - MAX_NAMED} more`] : [];
      const count = items.length === 1 ? "a work item is" : `${items.length} work items are`;
      return gateReason(`${count} still open: ${[...named, ...more].join(", ")}`, CLOSE);
    },
  };
}

const CLOSE =
  "Do what is left, then close each item with todo: done when it is done, dropped when it is not needed, blocked with a note when it cannot be done now.";
