import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import type { AskPerson } from "../../../contract/tool.ts";
import { describeCall } from "./updates.ts";

/** Asks the person at the editor. An editor that is gone, or cancels the question, has said no. */
export function askEditor(client: AgentContext, sessionId: () => string): AskPerson {
  return async ({ call, because, canRemember }, signal) => {
    const options: PermissionOption[] = [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      ...(canRemember ? [{ optionId: "session", name: "Allow for this session", kind: "allow_always" } as const] : []),
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ];
    const asked: RequestPermissionRequest = {
      sessionId: sessionId(),
      toolCall: {
        ...describeCall(call),
        status: "pending",
        content: [{ type: "content", content: { type: "text", text: because } }],
      },
      options,
    };
    const { outcome } = await client.request(methods.client.session.requestPermission, asked, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    if (outcome.outcome !== "selected") return "reject";
    if (outcome.optionId === "once") return "once";
    return canRemember && outcome.optionId === "session" ? "session" : "reject";
  };
}
