import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import type { AskPerson } from "../../../contract/tool.ts";
import { showCall } from "../show-call.ts";
import { describeCall } from "./updates.ts";

/** Asks the user in the editor. If the editor is gone or cancels the request, the answer is no. */
export function askEditor(client: AgentContext, sessionId: () => string): AskPerson {
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
        content: [because, literally(text)].map((words) => ({
          type: "content",
          content: { type: "text", text: words },
        })),
      },
      options,
    };
    const { outcome } = await client.request(methods.client.session.requestPermission, request, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    if (outcome.outcome !== "selected") return "reject";
    if (outcome.optionId === "once") return "once";
    return offersSession && outcome.optionId === "session" ? "session" : "reject";
  };
}

/** Editors render Markdown, so this returns a code block whose fence nothing in the text can close. */
function literally(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
