import { type PromptRequest, type PromptResponse, RequestError, type StopReason } from "@agentclientprotocol/sdk";
import type { SessionEvent, SessionOutcome } from "../../../contract/engine-event.ts";
import { sessionTitle } from "../../../sessions/summary.ts";
import { outcomeLines } from "../describe-event.ts";
import type { LineCommandPlace } from "../line-commands.ts";
import { commandIn, editorCommand, isImmediate, promptText } from "./editor-commands.ts";
import { message } from "./editor-link.ts";
import type { EditorSession } from "./editor-session.ts";
import { promptContent } from "./prompt-content.ts";
import { choiceUpdates } from "./session-choices.ts";
import { sessionUpdates } from "./session-view.ts";

/** Works on a prompt until there is nothing left to do, or carries out the command it consists of. */
export async function answerPrompt(session: EditorSession, { prompt }: PromptRequest): Promise<PromptResponse> {
  const { text, images } = promptContent(prompt);
  if (text.trim() === "" && images.length === 0) throw RequestError.invalidParams(undefined, "the prompt is empty");
  const isCommand = images.length === 0 && commandIn(text) !== undefined;
  const { conversation } = session;
  const isFirst = conversation.history.length === 0 && conversation.queued === 0;
  if (isCommand) {
    const act: Run = (abort) => carryOut(session, text, abort);
    const response = isImmediate(text) ? await act(new AbortController()) : await inTurn(session, act);
    await tellChoices(session);
    if (conversation.queued === 0 || response.stopReason !== "end_turn") return response;
  } else conversation.add(promptText(text), images);
  if (isFirst) await told(session, { sessionUpdate: "session_info_update", title: sessionTitle(text) });
  return await answered(session);
}

async function carryOut(session: EditorSession, text: string, abort: AbortController): Promise<PromptResponse> {
  const write = (words: string) => void told(session, message(words));
  const follow: LineCommandPlace["follow"] = async (begin) => {
    for await (const event of begin(abort.signal)) await show(session, event, abort);
  };
  await editorCommand({ ...session, effort: session.models.effort, write, follow }, text);
  return { stopReason: abort.signal.aborted ? "cancelled" : "end_turn" };
}

/** A prompt that comes while another is worked on reaches the model with its next request, and ends with that work. */
async function answered(session: EditorSession): Promise<PromptResponse> {
  while (session.working !== undefined) {
    const response = await session.working.answer;
    // It may have come too late for that work.
    if (response.stopReason === "cancelled" || session.conversation.queued === 0) return response;
  }
  return await occupy(session, (abort) => work(session, abort));
}

/** Waits until nothing else is worked on. */
async function inTurn(session: EditorSession, run: Run): Promise<PromptResponse> {
  while (session.working !== undefined) await session.working.answer.catch(() => undefined);
  return await occupy(session, run);
}

type Run = (abort: AbortController) => Promise<PromptResponse>;

async function occupy(session: EditorSession, run: Run): Promise<PromptResponse> {
  const abort = new AbortController();
  const answer = run(abort).finally(() => (session.working = undefined));
  session.working = { abort, answer };
  return await answer;
}

async function work(session: EditorSession, abort: AbortController): Promise<PromptResponse> {
  const run = session.conversation.run(abort.signal);
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done !== true) {
      await show(session, next.value, abort);
      continue;
    }
    await tellChoices(session);
    await told(session, { sessionUpdate: "session_info_update", updatedAt: new Date().toISOString() });
    if (["gate-gave-up", "limit", "no-progress", "refused"].includes(next.value.reason))
      await told(session, message(`\n\n> ${outcomeLines(next.value).join("\n").replaceAll("\n", "\n> ")}\n\n`));
    return { stopReason: stopReason(next.value) };
  }
}

/** If the editor is gone, the run is interrupted but still ends properly and is logged. */
async function show(session: EditorSession, event: SessionEvent, abort: AbortController): Promise<void> {
  for (const update of sessionUpdates(event, session)) await session.link.tell(update).catch(() => abort.abort());
}

const told = ({ link }: EditorSession, update: Parameters<EditorSession["link"]["tell"]>[0]) =>
  link.tell(update).catch(() => {
    // An editor that is gone needs no update.
  });

/** What was changed by a command or a tool, and not by the editor itself. */
async function tellChoices(session: EditorSession): Promise<void> {
  for (const update of choiceUpdates(session, session.told)) await told(session, update);
}

function stopReason({ reason, because }: SessionOutcome): StopReason {
  switch (reason) {
    case "answered":
    case "rejected":
    case "gate-gave-up":
      return "end_turn";
    case "aborted":
      return "cancelled";
    case "limit":
    case "no-progress":
      return "max_turn_requests";
    case "refused":
      return "refusal";
    case "failed":
      throw RequestError.internalError(undefined, because);
  }
}
