import { readFileSync, writeFileSync } from "node:fs";
import type { ReadTextFileRequest, WriteTextFileRequest } from "@agentclientprotocol/sdk";
import { newEvent } from "../../contract/agent-event.ts";
import { messageOf } from "../../lib/message-of.ts";
import type { AcpSession } from "./acp-session.ts";

/** Reads and writes files for an agent that leaves this to its client. The guard decides each call. */
export function fileAnswers(session: AcpSession | undefined) {
  const perform = <Value>(tool: "read" | "write", input: { readonly path: string }, work: () => Value): Value => {
    if (session === undefined) throw new Error("there is no session");
    const id = `file-${++count}`;
    const { verdict, because } = session.job.decide({ tool, input, id });
    session.tell([newEvent({ type: "tool_call", tool_name: tool, tool_use_id: id, input })]);
    if (verdict !== "allow") throw new Error(because);
    try {
      const value = work();
      session.events.push(
        newEvent({ type: "tool_result", tool_name: tool, tool_use_id: id, output: "done", is_error: false }),
      );
      return value;
    } catch (error) {
      const output = messageOf(error);
      session.events.push(newEvent({ type: "tool_result", tool_name: tool, tool_use_id: id, output, is_error: true }));
      throw error;
    }
  };
  return {
    read({ path, line, limit }: ReadTextFileRequest): { content: string } {
      const content = perform("read", { path }, () => readFileSync(path, "utf8"));
      if (line === undefined && limit === undefined) return { content };
      const from = Math.max(0, (line ?? 1) - 1);
      return {
        content: content
          .split("\n")
          .slice(from, limit === undefined || limit === null ? undefined : from + limit)
          .join("\n"),
      };
    },
    write({ path, content }: WriteTextFileRequest): Record<string, never> {
      perform("write", { path }, () => writeFileSync(path, content));
      return {};
    },
  };
}

let count = 0;
