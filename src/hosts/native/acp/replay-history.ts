import { resolve } from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import * as z from "zod";
import type { CallPart, Message, UserMessage } from "../../../contract/message.ts";
import type { ToolDeed } from "../../../contract/tool-call.ts";
import { imageBlock, toolCall, toolEnd } from "./tool-updates.ts";

/** Replays an earlier conversation from the start. Paths in it are relative to `workspace`. */
export function replayHistory(history: readonly Message[], workspace: string): readonly SessionUpdate[] {
  const calls = new Map<string, CallPart>();
  return history.flatMap((message): readonly SessionUpdate[] => {
    if (message.role === "user") return userUpdates(message);
    if (message.role === "tool") {
      return message.results.map((result) => {
        const call = calls.get(result.callId);
        return toolEnd({ result, deeds: call === undefined || result.failed ? [] : changes(call, workspace) });
      });
    }
    return message.parts.map((part): SessionUpdate => {
      if (part.type === "call") {
        calls.set(part.id, part);
        return toolCall(part);
      }
      const sessionUpdate = part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
      return { sessionUpdate, content: { type: "text", text: part.text } };
    });
  });
}

/** What gates, hooks and the engine itself have said to the model is not shown as the user's. */
function userUpdates({ text, images = [], source }: UserMessage): readonly SessionUpdate[] {
  const sessionUpdate = source === "person" ? "user_message_chunk" : "agent_thought_chunk";
  const content = [...(text === "" ? [] : [{ type: "text", text } as const]), ...images.map(imageBlock)];
  return content.map((block) => ({ sessionUpdate, content: block }));
}

const Written = z.object({ path: z.string(), content: z.string() });
const Edited = z.object({
  path: z.string(),
  edits: z.array(z.object({ old_string: z.string(), new_string: z.string() })),
});

/** What a call changed, from its arguments: the log has no other copy of the texts. */
function changes({ name, input }: CallPart, workspace: string): readonly ToolDeed[] {
  if (name === "write") {
    const { data } = Written.safeParse(input);
    return data === undefined ? [] : [change(resolve(workspace, data.path), null, data.content)];
  }
  if (name !== "edit") return [];
  const { data } = Edited.safeParse(input);
  if (data === undefined) return [];
  const path = resolve(workspace, data.path);
  return data.edits.map(({ old_string: before, new_string: after }) => change(path, before, after));
}

const change = (path: string, before: string | null, after: string): ToolDeed => ({
  kind: "write",
  path,
  before,
  after,
});
