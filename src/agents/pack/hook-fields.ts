import { existsSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { CallShell } from "../../contract/agent-install.ts";
import type { HookAnswer, HookEvent, HookEventName, Payload } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { isInside } from "../../lib/path/inside.ts";
import { isStop, reasonText } from "./hook-event.ts";

/** An agent's names for the fields of an event. */
interface FieldNames {
  readonly session: string;
  readonly subAgent: string;
  readonly tool: string;
  readonly input: string;
  readonly output: readonly string[];
  readonly again: string;
}

/** Claude Code's names. Codex and Gemini use the same. */
export const SNAKE: FieldNames = {
  session: "session_id",
  subAgent: "agent_id",
  tool: "tool_name",
  input: "tool_input",
  output: ["tool_response", "error"],
  again: "stop_hook_active",
};

export const CAMEL: FieldNames = {
  session: "sessionId",
  subAgent: "agentId",
  tool: "toolName",
  input: "toolArgs",
  output: ["toolResult", "error"],
  again: "stop_hook_active",
};

/** Reads an event by an agent's field names. Fields that a decision needs are required, the others optional. */
export const readFields = (event: HookEventName, payload: Payload, names: FieldNames): HookEvent => ({
  ...ownFields(event, payload, names),
  session: text(payload[names.session]) ?? "unknown",
  cwd: folder(payload["cwd"]),
  subAgent: text(payload[names.subAgent]),
});

/** The fields that only events of this kind have. */
function ownFields(type: HookEventName, payload: Payload, names: FieldNames) {
  const textIn = (name: string) => text(payload[name]) ?? "unknown";
  switch (type) {
    case "tool-before":
      return { type, ...tool(payload, names) };
    case "tool-after":
      return { type, ...tool(payload, names), output: outputOf(payload, names) };
    case "prompt-submitted":
      return { type, prompt: text(payload["prompt"]) ?? "" };
    case "agent-stop":
    case "subagent-stop":
      return { type, again: payload[names.again] === true, transcript: text(payload["transcript_path"]) };
    case "session-start":
      return { type, source: textIn("source") };
    case "session-end":
      return { type, reason: textIn("reason") };
    case "compact-before":
      return { type, trigger: textIn("trigger") };
    case "error":
      return { type, message: errorText(payload["error"]) };
  }
}

const outputOf = (payload: Payload, { output }: FieldNames): unknown =>
  output.map((name) => payload[name]).find((value) => value !== undefined);

function tool(payload: Payload, names: FieldNames): { readonly tool: string; readonly input: unknown } {
  const named = text(payload[names.tool]);
  if (named === undefined || named === "") throw new Error(`it has no ${names.tool}`);
  const input = payload[names.input];
  if (input === undefined) throw new Error(`it has no ${names.input}`);
  // Older versions of Copilot send the arguments as a JSON string.
  return { tool: named, input: typeof input === "string" ? argumentsIn(input, names.input) : input };
}

function argumentsIn(given: string, name: string): unknown {
  try {
    const value: unknown = parseJson(given);
    if (isRecord(value)) return value;
  } catch {
    // Reported below, by the field's name: the content must not be quoted.
  }
  throw new Error(`its ${name} is not an object`);
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

function folder(value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value !== "string") throw new Error("its cwd is not a string");
  return value;
}

function errorText(value: unknown): string {
  if (isRecord(value)) return text(value["message"]) ?? "unknown";
  return text(value) ?? "unknown";
}

/** Copilot's shape of an answer: decisions are top-level fields. */
export function flatAnswer(event: HookEventName, answer: HookAnswer): Payload {
  if (isStop(event) || (event === "prompt-submitted" && answer.block !== undefined))
    return answer.block === undefined ? {} : { decision: "block", reason: answer.block };
  const { verdict, because, input, context } = answer;
  return {
    ...(event === "tool-before" && verdict !== undefined
      ? { permissionDecision: verdict, permissionDecisionReason: reasonText(because), message: reasonText(because) }
      : {}),
    ...(event === "tool-before" && input !== undefined && verdict !== "deny" ? { modifiedArgs: input } : {}),
    ...(context === undefined ? {} : { additionalContext: context }),
  };
}

/** For agents that run every command in /bin/bash where there is one. */
export const bashOfSystem = (): CallShell | undefined =>
  existsSync("/bin/bash") ? { name: "bash", chosenByModel: false } : undefined;

/**
 * The folders between the workspace and what a call names by path, from which agents load more along with it. By the
 * names and by the real paths: a link may bypass either.
 */
export function foldersBeside(input: unknown, cwd: string, workspace: string): readonly string[] {
  const named = isRecord(input) ? Object.entries(input) : [];
  const paths = named.flatMap(([key, value]) =>
    /path$/i.test(key) && typeof value === "string" ? [resolve(cwd, value)] : [],
  );
  return paths.flatMap((path) => [...foldersOf(path, workspace), ...foldersOf(realPlace(path), workspace)]);
}

function foldersOf(path: string, workspace: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path; folder !== workspace && isInside(folder, workspace); folder = dirname(folder))
    folders.push(folder);
  return folders;
}

/** The real path of a file that may not exist yet: that of the nearest folder that does. */
function realPlace(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    if (existsSync(at)) return realpathSync(at);
    if (at === dirname(at)) return path;
  }
}
