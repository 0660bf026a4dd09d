import type { EngineHooks } from "../hooks.ts";
import type { Gate } from "./gate.ts";

interface AgentStopParts {
  readonly hooks: EngineHooks;
  /** A hook that fails does not block, but somebody must see it. */
  readonly failed: (error: unknown) => void;
}

/** The `agentStop` hooks as a gate. They are asked in order; the first that blocks with a reason decides. */
export function agentStopGate({ hooks, failed }: AgentStopParts): Gate {
  return {
    name: "agent-stop",
    async check({ blocked }) {
      for (const hook of hooks.agentStop ?? []) {
        try {
          const word = await hook({ stopReason: "end_turn", stopHookActive: blocked > 0 });
          const reason = word?.decision === "block" ? word.reason?.trim() : undefined;
          if (reason !== undefined && reason !== "") return reason;
        } catch (error) {
          failed(error);
        }
      }
      return undefined;
    },
  };
}
