// Puts the rules of signalbox before every tool of opencode: "plugin": ["file:///path/to/wiring/opencode.ts"]
// A throw blocks the call, and its message is what the model reads.
import { spawnSync } from "node:child_process";

interface Call {
  readonly tool: string;
  readonly sessionID: string;
}

export const SignalboxGuard = async () => ({
  "tool.execute.before": async ({ tool, sessionID }: Call, { args }: { args: Record<string, unknown> }) => {
    const event = JSON.stringify({ tool_name: tool, tool_input: args, cwd: process.cwd(), session_id: sessionID });
    const { status, stdout } = spawnSync("signalbox", ["hook", "tool-before", "--agent", "plain"], {
      input: event,
      encoding: "utf8",
      timeout: 60_000,
    });
    if (status !== 0 || stdout !== "{}\n") throw new Error(reasonIn(stdout));
  },
});

function reasonIn(stdout: string): string {
  try {
    return String(JSON.parse(stdout).permissionDecisionReason);
  } catch {
    return "Blocked: signalbox did not answer.";
  }
}
