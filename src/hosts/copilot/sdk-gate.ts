import { textOf } from "../../agents/pack/record-fields.ts";
import type { Decide, HostJob } from "../../backplane/host.ts";
import { isRecord } from "../../lib/is-record.ts";
import { messageOf } from "../../lib/message-of.ts";
import { parseJson } from "../../lib/parse-json.ts";

/**
 * The two places where the SDK asks before a tool runs. A throw in the hook would let the tool run, so any failure
 * there becomes a denial. In the permission handler, a throw is a denial anyway.
 */
export function sdkGate(
  { decide, judge }: Pick<HostJob, "decide" | "judge">,
  isApproved: (tool: string) => boolean = () => false,
) {
  const answer = (
    ask: Decide,
    tool: string,
    input: unknown,
  ): { readonly allowed: boolean; readonly because: string } => {
    try {
      const { verdict, because } = ask({ tool, input, isApproved: isApproved(tool) });
      return { allowed: verdict === "allow", because };
    } catch (error) {
      return { allowed: false, because: `the guard failed: ${messageOf(error)}` };
    }
  };
  const commands = new Set<string>();
  return {
    hooks: {
      onPreToolUse: (input: unknown) => {
        const toolArgs = isRecord(input) ? readArguments(input["toolArgs"]) : null;
        const { allowed, because } = answer(decide, textOf(input, "toolName"), toolArgs);
        if (allowed && textOf(toolArgs, "command") !== "") commands.add(textOf(toolArgs, "command"));
        return { permissionDecision: allowed ? "allow" : "deny", permissionDecisionReason: because };
      },
    },
    onPermissionRequest: (request: unknown) => {
      const { tool, input } = permissionCall(isRecord(request) ? request : {});
      // The hook has just judged this command with all its arguments.
      if (commands.delete(textOf(input, "command"))) return { kind: "approve-once" };
      // The hook reported this call; here the SDK asks about a part of it.
      const { allowed, because } = answer(judge, tool, input);
      return allowed ? { kind: "approve-once" } : { kind: "reject", feedback: because };
    },
  };
}

function readArguments(value: unknown): unknown {
  if (typeof value !== "string") return value ?? null;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

/** The call behind a permission request, in the guard's form. An unknown kind is treated as an unknown tool. */
function permissionCall(request: Readonly<Record<string, unknown>>): { tool: string; input: unknown } {
  const name = textOf(request, "toolName");
  switch (request["kind"]) {
    case "shell":
      return { tool: "bash", input: { command: request["fullCommandText"] ?? "" } };
    case "write":
      return { tool: "edit", input: { path: request["fileName"] ?? "" } };
    case "read":
      return { tool: "read", input: { path: request["path"] ?? "" } };
    case "url":
      return { tool: "fetch", input: { url: request["url"] ?? "" } };
    case "mcp":
      return { tool: `mcp__${textOf(request, "serverName")}__${name}`, input: request["args"] ?? {} };
    default:
      return { tool: name || "unknown", input: request["args"] ?? {} };
  }
}
