import { type ElicitationPropertySchema, methods } from "@agentclientprotocol/sdk";
import { isRecord } from "../../../lib/is-record.ts";
import type { AskUser } from "../../../tools/ask-user.ts";
import type { EditorLink } from "./editor-link.ts";

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
