import type { Policy } from "../contract/policy.ts";
import { toolKind } from "../guard/judge/tool-kind.ts";
import { isRecord } from "../lib/is-record.ts";
import { shQuote } from "../lib/sh-quote.ts";
import type { HookAnswer } from "../contract/hook-answer.ts";
import type { ToolBefore } from "../contract/hook-event.ts";

/** If the policy requires a sandbox, rewrites an allowed shell command to run in it, and denies it if that is impossible. */
export function sandboxCall(
  event: ToolBefore,
  answer: HookAnswer,
  { policy, program }: { readonly policy: Policy | undefined; readonly program: string | undefined },
): HookAnswer {
  if (policy === undefined || policy.sandbox === "off" || answer.verdict === "deny") return answer;
  if (toolKind(event.tool) !== "shell") return answer;
  const input = answer.input ?? event.input;
  if (program === undefined) return denied("the policy requires a sandbox, but this session has none");
  if (!isRecord(input) || typeof input["command"] !== "string")
    return denied("the policy requires a sandbox, but this tool's command cannot run in one");
  return { ...answer, input: { ...input, command: `${shQuote(program)} ${shQuote(input["command"])}` } };
}

const denied = (because: string): HookAnswer => ({ verdict: "deny", because: `${because}. Tell the user.` });
