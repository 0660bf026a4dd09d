import { appendFileSync, existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { readStdin } from "../lib/read-stdin.ts";
import { openSegment, type SegmentParts } from "../guard/audit/write-audit.ts";
import { decideAndRecord } from "../guard/decide-and-record.ts";
import type { Decision } from "../contract/verdict.ts";
import type { CommandScreen } from "../contract/screening.ts";
import type { Policy } from "../contract/policy.ts";
import { unsafeWorkspace } from "../lib/unsafe-workspace.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { readTaint } from "../guard/taint/taint-store.ts";
import { answerXpia, type HookCall, type XpiaAnswer } from "./answer-xpia.ts";

/** Everything needed to answer one hook call. */
export interface HookParts {
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
