import type { Policy } from "../contract/policy.ts";
import { appendAnchor } from "../guard/audit/anchor.ts";
import { type AuditSegment, openSegment } from "../guard/audit/write-audit.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { policyHash } from "../guard/policy/compiled-policy.ts";
import { redact, secretValues } from "../guard/redact/redact.ts";
import type { Callers } from "./callers.ts";
import type { DoorRecord } from "./door/door-parts.ts";

interface LogPlace {
  /** The user's signalbox folder. */
  readonly home: string;
  readonly callers: Pick<Callers, "of">;
  readonly policy: Policy;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface DoorLog extends Disposable {
  /** Throws when it cannot be written; the host is then refused. */
  readonly record: (record: DoorRecord) => void;
}

/** Records in the audit log which hosts commands asked for, under the session of each. Opened with the first record. */
export function openDoorLog({ home, callers, policy, environment }: LogPlace): DoorLog {
  let segment: AuditSegment | undefined;
  const values = secretValues(environment);
  return {
    record({ host, port, verdict, because, command }) {
      segment ??= openSegment(home, { now: realMachine.now, anchor: appendAnchor });
      segment.append({
        time: new Date(realMachine.now()).toISOString(),
        ...callers.of(command),
        tool: "network",
        call: redact(JSON.stringify({ host: `${host}:${port}`, command: command ?? null }), { values }).text,
        cwd: policy.workspaceRoot,
        effects: [`network ${host}:${port}`],
        verdict,
        code: verdict === "allow" ? "network" : "network-refused",
        rules: [because],
        policy: policyHash(policy),
      });
    },
    [Symbol.dispose]: () => segment?.[Symbol.dispose](),
  };
}
