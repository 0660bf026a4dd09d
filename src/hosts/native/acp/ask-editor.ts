import { methods, type PermissionOption, type RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { AskPerson } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { showCall } from "../show-call.ts";
import type { EditorLink } from "./editor-link.ts";
import { fenced } from "./fenced.ts";
import { describeCall } from "./tool-updates.ts";

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
