import type { HookOutput } from "./hook-answer.ts";
import type { HookAnswer } from "../contract/hook-answer.ts";
import { mustAnswer } from "../agents/dialect/hook-event.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import type { Dialect } from "../contract/dialect.ts";
import { dispatch, type DispatchParts } from "./dispatch.ts";
import { reason } from "./judge-call.ts";
import { readPayload } from "../agents/dialect/read-payload.ts";

/** Answers one call of a hook in the agent's own words. Never throws: what cannot be read or answered is refused. */
export async function answerCall(
  call: { readonly event: HookEventName; readonly text: string },
  dialect: Dialect,
  parts: DispatchParts,
): Promise<HookOutput> {
  const { event, text } = call;
  try {
    const told = dialect.read(event, readPayload(text));
    const answer = await dispatch(told, parts);
    // Where a question reaches nobody, it would be passed over.
    const asked = answer.verdict === "ask" && !dialect.asks ? unasked(answer) : unlifted(answer, parts);
    const stdout = `${JSON.stringify(dialect.write(event, asked))}\n`;
    const refused = asked.verdict === "deny" || asked.block !== undefined;
    return {
      stdout,
      stderr: refused ? `${asked.because ?? asked.block ?? ""}\n` : "",
      exit: refused ? dialect.denialExit : 0,
    };
  } catch (error) {
    const because = `signalbox could not read this call of the hook, so it is refused: ${reason(error)}`;
    return unanswered(event, dialect, because);
  }
}

/** What is said when nothing can be answered: a refusal where no answer means no, else a warning. */
export function unanswered(event: HookEventName, dialect: Dialect, because: string): HookOutput {
  if (mustAnswer(event)) return refusal(event, dialect, because);
  return { stdout: "{}\n", stderr: `signalbox: ${because}\n`, exit: 0 };
}

/** Copilot takes an `allow` of a hook for more than its user's own `--deny-tool`; without one its rules hold. */
function unlifted(answer: HookAnswer, { settings }: DispatchParts): HookAnswer {
  if (answer.verdict !== "allow" || settings.neverAllow !== true) return answer;
  const { verdict: _, because: _because, ...rest } = answer;
  return rest;
}

function unasked(answer: HookAnswer): HookAnswer {
  const because = `${answer.because ?? "This needs the user's consent."} Nobody can be asked here, so it may not happen. Do not try it again in another form; tell the user.`;
  return { ...answer, verdict: "deny", because };
}

/** The agent's own refusal, and exit 2 beside it for agents that read only that. */
export function refusal(event: HookEventName, dialect: Dialect, because: string): HookOutput {
  const answer = event === "tool-before" ? { verdict: "deny" as const, because } : { block: because };
  return { stdout: `${JSON.stringify(dialect.write(event, answer))}\n`, stderr: `${because}\n`, exit: 2 };
}
