import type { Policy } from "../../contract/policy.ts";
import { realClock } from "../../lib/process/tasks.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { compaction } from "../engine/compaction.ts";
import type { EngineHooks } from "../engine/hooks.ts";
import { guardProcessor, type Processor } from "../engine/processor.ts";
import type { NativeSettings } from "../settings/session-settings.ts";
import type { SessionUndo } from "../undo/session-undo.ts";
import type { Conversation, EngineParts } from "./conversation.ts";
import { fingerprint } from "./fingerprint.ts";
import { autopilot, nativeGates } from "./session-gates.ts";
import type { NativeTools } from "./session-tools.ts";
import { standing } from "./work-item-lines.ts";
import { type ModeSwitch, planProcessor } from "./work-mode.ts";

/** What one conversation adds to the settings of its command. */
interface EngineFrame extends Pick<EngineParts, "system" | "hooks"> {
  readonly policy: Policy;
  readonly knowledge: Processor;
  readonly undo: Pick<SessionUndo, "tell" | "rested">;
  readonly mode: ModeSwitch;
  readonly isOneTask: boolean;
  /** Nobody can be asked. */
  readonly isUnattended: boolean;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
}

/** Everything the engine needs for one conversation. */
export function engineParts(
  common: NativeSettings,
  nativeTools: NativeTools,
  { policy, system, hooks, knowledge, undo, mode, isOneTask, isUnattended, signal }: EngineFrame,
): EngineParts {
  const { model, settings, mostTurns, mostCost, timeoutMs, warn, guardAlso = (permit) => permit } = common;
  const { tools, permit, containment, forgetShown, servers } = nativeTools;
  const pilot = autopilot({ mode, filters: common.filters, continues: settings.autopilot_continues });
  return {
    model,
    system,
    tools: () => [...tools, ...pilot.tools(), ...(servers?.tools() ?? [])],
    awaitTools: servers?.settled,
    processors: [
      undo.tell,
      knowledge,
      ...(servers?.processors ?? []),
      planProcessor(mode),
      pilot.processor,
      guardProcessor(guardAlso(permit, containment)),
      nativeTools.beforeChange,
    ],
    settings,
    clock: realClock,
    limits: {
      turns: mostTurns,
      cost: mostCost,
      deadline: timeoutMs === undefined ? undefined : realClock.now() + timeoutMs,
    },
    compaction: compaction({
      model,
      settings,
      clock: realClock,
      signal,
      isOneTask,
      standing: () => standing(nativeTools),
      before: (trigger) =>
        tell(
          (hooks.preCompact ?? []).map((hook) => () => hook({ trigger: trigger === "asked" ? "manual" : "auto" })),
          warn,
        ),
    }),
    onShortened: () => forgetShown(),
    onRest: undo.rested,
    gates: nativeGates(common, nativeTools, { policy, mode, isUnattended, autopilot: pilot.gate }),
    hooks,
    fingerprint: (signal) => treeOf(policy, nativeTools, signal),
  };
}

/** A hash of the workspace, without what is private to the session. */
export const treeOf = ({ workspaceRoot: workspace }: Policy, { privateFolder }: NativeTools, signal: AbortSignal) =>
  fingerprint({ workspace, privateFolder }, signal);

/** Runs hooks that cannot change anything. A failure is only reported as a warning. */
async function tell(hooks: readonly (() => Promise<unknown>)[], warn: (text: string) => void): Promise<void> {
  for (const hook of hooks) {
    try {
      await hook();
    } catch (error) {
      warn(`a hook failed: ${messageOf(error)}`);
    }
  }
}

/** Tells the hooks that a conversation begins. */
export const tellStart = (hooks: EngineHooks, source: "new" | "resume", warn: (text: string) => void) =>
  tell(
    (hooks.sessionStart ?? []).map((hook) => () => hook({ source })),
    warn,
  );

/** Tells the hooks how a conversation ended. */
export async function tellEnd(
  hooks: EngineHooks,
  conversation: Conversation,
  warn: (text: string) => void,
): Promise<void> {
  const { reason = "answered", because = "" } = conversation.outcome ?? {};
  const event =
    reason === "answered"
      ? ({ reason: "complete" } as const)
      : ({ reason: reason === "aborted" ? "abort" : "error", error: because } as const);
  await tell(
    (hooks.sessionEnd ?? []).map((hook) => () => hook(event)),
    warn,
  );
}
