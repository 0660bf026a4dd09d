import type { AcpTurn } from "../acp/acp.ts";
import type { OwnHost } from "../own-host.ts";

/** Copilot's host, loaded on demand. */
export const host: OwnHost = {
  name: "copilot",
  async open({ env, starter }) {
    const { COPILOT_BACKEND, copilotHost } = await import("./copilot.ts");
    const { copilotCapabilities } = await import("./copilot.ts");
    const { copilotSettings } = await import("./settings.ts");
    const capabilities = copilotCapabilities(copilotSettings(env), starter.holds);
    const openHost = copilotHost({ env, starter, version: "1" });
    return { backend: COPILOT_BACKEND, capabilities, openHost };
  },
  isReachable: async (env) => (await import("./settings.ts")).reachesCopilot(env),
  async acpOptions(env) {
    const { copilotError } = await import("./copilot-acp.ts");
    return { ownError: (turn: AcpTurn) => copilotError(turn, env), shell: "bash" };
  },
};
