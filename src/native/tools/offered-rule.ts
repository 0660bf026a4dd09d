import type { AgentCall } from "../../contract/agent-call.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import type { OfferedRule } from "../../contract/tool.ts";
import { type AllowPlace, planAllow, writeAllow } from "../../guard/allow/plan-allow.ts";
import { decide } from "../../guard/decide-and-record.ts";
import { printable } from "../../lib/text/printable.ts";

/** A call that a person is asked about, and what it was judged with. */
export interface AskedCall {
  readonly call: AgentCall;
  /** Undefined where it is not a shell's. */
  readonly command: string | undefined;
  readonly policy: Policy;
  readonly machine: Machine;
  readonly signalboxHome: string;
}

/** The narrowest rule of the user's policy that allows a command, as `signalbox guard allow` finds it. */
export function offeredRule({ call, command, policy, machine, signalboxHome }: AskedCall): OfferedRule {
  if (command === undefined) return { because: "only commands can be allowed by a rule" };
  const { workspaceRoot } = policy;
  const place: AllowPlace = {
    folder: signalboxHome,
    workspaceRoot,
    cwd: call.cwd ?? workspaceRoot,
    repository: false,
    preset: undefined,
    prefix: false,
    machine,
    decide,
  };
  const plan = planAllow(command, place);
  if (plan.kind === "allowed") return { because: "a rule in your policy already allows it, from the next session on" };
  if (plan.kind === "refused") return { because: printable(plan.because) };
  const { alsoAllows } = plan.reach;
  const also = alsoAllows.length === 0 ? "" : `It would also allow: ${alsoAllows.map(printable).join(", ")}\n`;
  return { file: plan.file, text: `${printable(plan.diff)}${also}`, write: () => void writeAllow(plan, place) };
}
