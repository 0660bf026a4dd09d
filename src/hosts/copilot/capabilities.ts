import { type Capabilities, CODING_AGENT, type SupportLevel } from "../../contract/capability.ts";
import type { CopilotSettings } from "./settings.ts";

const restricted = (reason: string): SupportLevel => ({ restricted: { reason } });

/** What Copilot itself can do in a run. The names are those of our predecessor's host. */
const COPILOT: Capabilities = {
  ...CODING_AGENT,
  tool_web_search: restricted("by GitHub's own MCP server, which needs a login"),
  tool_web_fetch: "native",
  structured_output_json_schema: "unsupported",
  hooks_pre_tool_use: "native",
  hooks_post_tool_use: "native",
  session_resume: "native",
  session_fork: "unsupported",
  // The snapshot that signalbox takes before a run.
  checkpointing: "emulated",
  mcp_client: "native",
  mcp_server: "unsupported",
  // Nobody could answer in a run.
  tool_ask_user: "unsupported",
};

const BY_HOOKS = "only with its own program and our hooks, which ABP_COPILOT_TRANSPORT=legacy uses";

/** What Copilot can do the way it is reached. `holds` is true if its own program starts with our hooks. */
export function copilotCapabilities(settings: CopilotSettings, holds: boolean): Capabilities {
  const { adapterModule, runner, transports, isUnset } = settings;
  const [only, ...more] = transports;
  const usesOther = adapterModule !== undefined || (runner !== undefined && (only === "legacy" || more.length > 0));
  if (usesOther) {
    const unknown = restricted("depends on the program that reaches Copilot");
    const names = Object.entries(COPILOT).map(([name, level]) => [name, level === "unsupported" ? level : unknown]);
    return { ...Object.fromEntries(names), streaming: "native", checkpointing: "emulated" };
  }
  if ((isUnset || only === "legacy") && holds) return COPILOT;
  return {
    ...COPILOT,
    hooks_pre_tool_use:
      only === "sdk" && more.length === 0
        ? "native"
        : restricted("over ACP, what Copilot asks about; over its SDK and with our hooks, all"),
    hooks_post_tool_use: restricted(BY_HOOKS),
  };
}
