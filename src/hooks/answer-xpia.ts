import { appendFileSync, existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentCall } from "../contract/agent-call.ts";
import type { Policy } from "../contract/policy.ts";
import type { CommandScreen } from "../contract/screening.ts";
import type { Decision } from "../contract/verdict.ts";
import { openSegment, type SegmentParts } from "../guard/audit/write-audit.ts";
import { decideAndRecord } from "../guard/decide-and-record.ts";
import { explainToModel } from "../guard/explain.ts";
import { toolKind } from "../guard/judge/tool-call.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { readTaint } from "../guard/taint-store.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { unsafeWorkspace } from "../lib/path/inside.ts";
import { readStdin } from "../lib/process/standard-streams.ts";
import { messageOf } from "../lib/text/user-error.ts";

/** Everything needed to answer one hook call. */
interface HookParts {
  /** Finds the user's signalbox folder. If it throws, the call is denied. */
  readonly folder: () => string;
  readonly policyFor: (workspace: string) => Policy;
  readonly workspaceOf: (cwd: string) => string;
  readonly anchor?: SegmentParts["anchor"];
  readonly screen: CommandScreen | undefined;
  readonly redact: (text: string) => string;
}

/** The text of a hook call: the first argument, otherwise stdin. */
export function hookInput(argv: readonly string[]): string {
  return argv[0] ?? readStdin().toString("utf8");
}

/** Judges one hook call under the policy of its workspace, records the decision, and returns the answer to print. */
export function answerHook(text: string, parts: HookParts): XpiaAnswer {
  return answerXpia(text, (call) => decideCall(call, parts));
}

function decideCall(call: HookCall, parts: HookParts): Decision {
  const folder = parts.folder();
  const workspace = parts.workspaceOf(call.cwd ?? process.cwd());
  const wide = unsafeWorkspace(workspace, homedir());
  if (wide !== undefined) throw new Error(wide);
  const policy = parts.policyFor(workspace);
  using segment = openSegment(folder, { now: realMachine.now, anchor: parts.anchor });
  const tainted = readTaint(folder, call.session) !== undefined;
  const world = { ...realMachine, screen: parts.screen, tainted };
  // The call does not say which shell will run it.
  const decision = decideAndRecord({ ...call, shell: "any" }, policy, {
    machine: world,
    session: call.session,
    agent: "xpia-hook",
    append: (entry) => segment.append(entry),
    redact: parts.redact,
  });
  writeHistoricalLog(call, decision, parts.redact);
  return decision;
}

/** Writes the same log line as the ancestor's hook, if the ancestor's log folder exists. */
function writeHistoricalLog(call: HookCall, decision: Decision, redact: (text: string) => string): void {
  const folder = join(homedir(), ".claude", "logs", "xpia");
  if (!existsSync(folder)) return;
  const now = new Date(realMachine.now());
  const risk = decision.verdict === "allow" ? "none" : decision.verdict === "ask" ? "medium" : "high";
  const data = {
    command: redact(JSON.stringify(call.input)).slice(0, 100),
    is_valid: decision.verdict === "allow",
    risk_level: risk,
    threats: decision.verdict === "allow" ? 0 : decision.rules.length,
    session_id: call.session,
  };
  const line = JSON.stringify({
    timestamp: now.toISOString().slice(0, -1),
    event_type: "pre_tool_validation",
    backend: "signalbox",
    data,
  });
  const day = `${now.getFullYear()}${String(now.getMonth() + 1).padStart(2, "0")}${String(now.getDate()).padStart(2, "0")}`;
  appendFileSync(
    join(folder, `rust_security_${day}.log`),
    `${line}
`,
    { mode: 0o600 },
  );
}

/** A tool call as a hook receives it, and which agent makes it. */
interface HookCall extends AgentCall {
  readonly session: string;
}

/** The output of the historical hook contract: nothing, or a decision with its reason under both names. */
type XpiaAnswer =
  | Record<string, never>
  | {
      readonly permissionDecision: "deny" | "ask";
      readonly message: string;
      readonly permissionDecisionReason: string;
    };

/** Answers one hook call. Malformed input, an unknown tool or any failure denies. An allowed call gets an empty answer. */
export function answerXpia(text: string, decide: (call: HookCall) => Decision): XpiaAnswer {
  try {
    const call = readHookCall(text);
    if (toolKind(call.tool) === "unknown")
      return refuse("deny", `Blocked: unknown tool ${JSON.stringify(call.tool).slice(0, 120)}.`);
    const decision = decide(call);
    if (decision.verdict === "allow") return {};
    return refuse(decision.verdict, explainToModel(decision));
  } catch (error) {
    return refuse("deny", `Blocked, because signalbox could not judge this call: ${messageOf(error)}`);
  }
}

function refuse(permissionDecision: "deny" | "ask", message: string): XpiaAnswer {
  return { permissionDecision, message, permissionDecisionReason: message };
}

/**
 * Reads `{tool_name, tool_input, cwd, session_id}`, or Copilot's `{toolName, toolArgs}` with arguments as a JSON string.
 * Throws when it is neither.
 */
function readHookCall(text: string): HookCall {
  const value: unknown = parseJson(text);
  if (!isRecord(value)) throw new Error("the hook input is not an object");
  const tool = oneOf(value, ["tool_name", "toolName"]);
  const given = oneOf(value, ["tool_input", "toolInput", "toolArgs"]);
  if (typeof tool !== "string") throw new Error("the hook input has no tool");
  const input: unknown = typeof given === "string" ? parseJson(given) : given;
  const { cwd } = value;
  if (cwd !== undefined && typeof cwd !== "string") throw new Error("the folder in the hook input is not a string");
  const session = oneOf(value, ["session_id", "sessionId"]);
  return { tool, input, cwd: cwd === "" ? undefined : cwd, session: typeof session === "string" ? session : "unknown" };
}

/** The value under one of several names. Throws when two of them are present, because that is ambiguous. */
function oneOf(value: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const present = names.filter((name) => value[name] !== undefined);
  if (present.length > 1) throw new Error(`the hook input has both ${present.join(" and ")}`);
  return value[present[0] ?? ""];
}
