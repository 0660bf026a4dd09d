import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CallContainment, HELD_PARTS } from "../../contract/agent-call.ts";
import { listSegments } from "../../guard/audit/verify-audit.ts";
import { judge } from "../../guard/judge/judge.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { jsonIfValid } from "../../lib/json/parse-json.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { chosenPolicy } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";
import { readSince } from "../flags.ts";

/** Judges recorded decisions again under another policy and shows each one that would change. */
export async function run({ flags }: CommandInput): Promise<number> {
  const { policy } = chosenPolicy(flags);
  const since = readSince(flags["since"]);
  let judged = 0;
  let changed = 0;
  for (const record of recordedCalls(signalboxHome())) {
    if (Date.parse(record.time) < since) continue;
    judged++;
    const { verdict, because } = judge({ tool: record.tool, input: record.input, cwd: record.cwd }, policy, {
      ...realMachine,
      ...containmentOf(record),
    });
    if (verdict === record.verdict) continue;
    changed++;
    process.stdout.write(
      `${record.time}  ${record.verdict} -> ${verdict}  ${printableLine(record.tool)}  ${printableLine(record.call).slice(0, 160)}\n    ${printableLine(because)}\n`,
    );
  }
  process.stdout.write(`${judged} decisions replayed, ${changed} would change\n`);
  return EXIT.ok;
}

/** As it was judged: what could be restored then is not recorded, so that counts as the answer says. */
function containmentOf({ contained, verdict }: RecordedCall): CallContainment {
  return contained ? { contained: HELD_PARTS, recoverable: () => verdict === "allow" } : {};
}

interface RecordedCall {
  readonly time: string;
  readonly tool: string;
  readonly call: string;
  readonly input: unknown;
  readonly cwd: string;
  readonly verdict: string;
  readonly contained: boolean;
}

/** Audit log calls whose input was short enough to be stored in full. Redacted parts stay redacted. */
function* recordedCalls(folder: string): Generator<RecordedCall> {
  for (const segment of listSegments(folder))
    for (const line of readFileSync(join(folder, "audit", segment), "utf8").split("\n")) {
      const record = jsonIfValid(line);
      if (!isRecord(record)) continue;
      const { time, tool, call, cwd, verdict } = record;
      if (
        typeof time !== "string" ||
        typeof tool !== "string" ||
        typeof call !== "string" ||
        typeof cwd !== "string" ||
        typeof verdict !== "string"
      )
        continue;
      const input = jsonIfValid(call);
      const contained = typeof record["contained"] === "boolean";
      if (input !== undefined) yield { time, tool, call, input, cwd, verdict, contained };
    }
}
