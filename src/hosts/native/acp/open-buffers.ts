import { methods } from "@agentclientprotocol/sdk";
import { isRecord } from "../../../lib/is-record.ts";
import type { EditorBuffers } from "../../../contract/editor-buffers.ts";
import type { EditorLink } from "./editor-link.ts";

/** How long an editor may take for a file before it counts as broken. */
const PATIENCE_MS = 10_000;

/** The files that the editor has open, if it lets us see them. One that does not answer is not asked again. */
export function openBuffers(link: EditorLink, patienceMs = PATIENCE_MS): EditorBuffers | undefined {
  const { client, features, sessionId } = link;
  if (!features.readsFiles) return undefined;
  let isSilent = false;
  const patiently = async <Result>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<Result>) => {
    if (isSilent) throw new Error("the editor did not answer before");
    const late = AbortSignal.timeout(patienceMs);
    try {
      return await ask(AbortSignal.any([signal, late]));
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error;
      isSilent = true;
      link.announce("the editor does not answer questions about files, so unsaved changes in it are not seen");
      throw new Error(`the editor did not answer within ${patienceMs / 1000} s`, { cause: error });
    }
  };
  const options = (signal: AbortSignal) => ({ cancellationSignal: signal, stopWaitingOnCancel: true });
  return {
    read: (path, signal) =>
      patiently(signal, async (until) => {
        const asked = { sessionId: sessionId(), path };
        const response: unknown = await client.request(methods.client.fs.readTextFile, asked, options(until));
        const content = isRecord(response) ? response["content"] : undefined;
        if (typeof content !== "string") throw new Error("the editor's answer has no text");
        return content;
      }),
    write: features.writesFiles
      ? (path, content, signal) =>
          patiently(signal, async (until) => {
            const asked = { sessionId: sessionId(), path, content };
            await client.request(methods.client.fs.writeTextFile, asked, options(until));
          })
      : undefined,
  };
}
