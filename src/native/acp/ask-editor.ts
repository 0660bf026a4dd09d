import {
  type ElicitationPropertySchema,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import type { AskPerson } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { showCall } from "../terminal/show-call.ts";
import type { AskUser } from "../tools/conversation-tools.ts";
import type { EditorLink } from "./editor-link.ts";
import { describeCall, fenced } from "./tool-updates.ts";

/** Asks the user in the editor. If the editor is gone, answers nonsense or cancels the request, the answer is no. */
export function askEditor({ client, sessionId }: EditorLink): AskPerson {
  return async ({ call, because, canRemember }, signal) => {
    const { text, whole } = showCall(call);
    // A call that is not fully visible cannot be approved for the session.
    const offersSession = canRemember && whole;
    const options: PermissionOption[] = [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      ...(offersSession
        ? [{ optionId: "session", name: "Allow for this session", kind: "allow_always" } as const]
        : []),
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ];
    const request: RequestPermissionRequest = {
      sessionId: sessionId(),
      toolCall: {
        ...describeCall(call),
        status: "pending",
        content: [because, fenced(text)].map((words) => ({
          type: "content",
          content: { type: "text", text: words },
        })),
      },
      options,
    };
    const chosen = await client
      .request(methods.client.session.requestPermission, request, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      })
      .then(chosenOption, () => undefined);
    if (chosen === "once") return "once";
    return offersSession && chosen === "session" ? "session" : "reject";
  };
}

function chosenOption(response: unknown): unknown {
  const outcome = isRecord(response) ? response["outcome"] : undefined;
  return isRecord(outcome) && outcome["outcome"] === "selected" ? outcome["optionId"] : undefined;
}

const MAX_ANSWER = 20_000;

/** Asks the user a question of the model in a form of the editor. Throws if it is not answered. */
export const askQuestion =
  ({ client, sessionId }: EditorLink): AskUser =>
  async ({ question, choices }, signal) => {
    const response: unknown = await client.request(
      methods.client.elicitation.create,
      {
        mode: "form",
        sessionId: sessionId(),
        message: question,
        requestedSchema: { type: "object", ...form(choices) },
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    const { action, content } = isRecord(response) ? response : {};
    if (action === "decline") throw new Error("the user declined to answer");
    if (action !== "accept") throw new Error("the user closed the question without an answer");
    const answer = isRecord(content) ? wordsOf(content) : "";
    if (answer === "") throw new Error("the user gave an empty answer");
    return answer.length > MAX_ANSWER ? `${answer.slice(0, MAX_ANSWER)} [cut]` : answer;
  };

/** With choices, the user can still answer in other words, as on a terminal. */
function form(choices: readonly string[]) {
  const words: ElicitationPropertySchema = { type: "string", title: choices.length === 0 ? "Answer" : "Other answer" };
  if (choices.length === 0) return { properties: { answer: words }, required: ["answer"] };
  const oneOf = [...new Set(choices)].map((choice) => ({ const: choice, title: choice }));
  return { properties: { choice: { type: "string", title: "Answer", oneOf } as const, answer: words } };
}

function wordsOf({ answer, choice }: Readonly<Record<string, unknown>>): string {
  const [words = ""] = [answer, choice].flatMap((value) =>
    typeof value === "string" && value.trim() !== "" ? [value.trim()] : [],
  );
  return words;
}
