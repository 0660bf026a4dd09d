import type { ModelCall, SessionEvent } from "../../contract/engine-event.ts";
import type { Permit, Tool } from "../../contract/tool.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { merge } from "../../lib/process/tasks.ts";
import { messageOf } from "../../lib/text/user-error.ts";

/** Runs a command of the person as a call of the shell tool: judged, recorded and contained like one of the model. */
export type PersonShell = (command: string, signal: AbortSignal) => AsyncGenerator<SessionEvent, void>;

const TIMEOUT_SECONDS = 3600;

export const personShell = ({ tools, permit }: { readonly tools: readonly Tool[]; readonly permit: Permit }) =>
  async function* run(command: string, signal: AbortSignal): ReturnType<PersonShell> {
    const input = { command, mode: "sync", timeout_seconds: TIMEOUT_SECONDS };
    const call: ModelCall = { id: `person_${randomId()}`, name: "bash", input };
    yield { type: "tool-start", call };
    const work = async (emit: (event: SessionEvent) => void) => {
      const bash = tools.find(({ name }) => name === call.name);
      const refused = bash === undefined ? "this session has no shell" : await refusal(permit, call, signal);
      const ended =
        bash === undefined || refused !== undefined
          ? { text: refused ?? "", failed: true }
          : await outputOf(bash, call, { signal, emit });
      emit({
        type: "tool-end",
        result: { callId: call.id, name: call.name, text: ended.text, failed: ended.failed },
        ran: refused === undefined,
        deeds: ended.deeds ?? [],
      });
    };
    yield* merge([work], 1);
  };

async function refusal(permit: Permit, call: ModelCall, signal: AbortSignal): Promise<string | undefined> {
  try {
    const permission = await permit(call, signal);
    return permission.verdict === "allow" ? undefined : `not allowed: ${permission.because}`;
  } catch (error) {
    return `not allowed: ${messageOf(error)}`;
  }
}

interface Running {
  readonly signal: AbortSignal;
  readonly emit: (event: SessionEvent) => void;
}

async function outputOf(bash: Tool, call: ModelCall, { signal, emit }: Running): ReturnType<Tool["run"]> {
  const progress = (text: string, recent?: string) =>
    emit({ type: "tool-progress", callId: call.id, text, ...(recent === undefined ? {} : { recent }) });
  try {
    return await bash.run(call.input, { callId: call.id, signal, progress, emit: () => {} });
  } catch (error) {
    return { text: messageOf(error), failed: true };
  }
}
