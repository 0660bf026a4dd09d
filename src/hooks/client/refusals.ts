import { isStop } from "../../agents/dialect/hook-event.ts";
import type { Dialect } from "../../contract/dialect.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import type { ScriptValues } from "./fill-script.ts";

/** A script's reply when it gets no answer, for each event that requires one. Empty for other events. */
export function refusals(dialect: Dialect, events: readonly HookEventName[], because: string): ScriptValues {
  const refusal = (event: HookEventName) => {
    if (!events.includes(event)) return "";
    const answer = isStop(event) ? { block: because } : { verdict: "deny" as const, because };
    return JSON.stringify(dialect.write(event, answer));
  };
  return {
    REFUSED_TOOL: refusal("tool-before"),
    REFUSED_STOP: refusal("agent-stop"),
    REFUSED_SUBAGENT_STOP: refusal("subagent-stop"),
    NO_ANSWER: because,
  };
}
