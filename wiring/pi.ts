// Puts the rules of signalbox before every tool of pi: pi -e /path/to/wiring/pi.ts
// No answer is a denial: an extension that throws blocks the call in pi.
import { spawnSync } from "node:child_process";

interface ToolCall {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
}

interface Pi {
  on(event: "tool_call", handler: (call: ToolCall) => Promise<{ block: true; reason: string } | undefined>): void;
}

export default function guard(pi: Pi): void {
  pi.on("tool_call", async ({ toolName, input }) => {
    const event = JSON.stringify({
      tool_name: toolName,
      tool_input: input,
      cwd: process.cwd(),
      session_id: `pi-${process.pid}`,
    });
    const { status, stdout } = spawnSync("signalbox", ["hook", "tool-before", "--agent", "plain"], {
      input: event,
      encoding: "utf8",
      timeout: 60_000,
    });
    if (status === 0 && stdout === "{}\n") return undefined;
    return { block: true, reason: reasonIn(stdout) };
  });
}

function reasonIn(stdout: string): string {
  try {
    return String(JSON.parse(stdout).permissionDecisionReason);
  } catch {
    return "Blocked: signalbox did not answer.";
  }
}
