import { isAbsolute } from "node:path";
import { type AgentContext, type PromptResponse, RequestError } from "@agentclientprotocol/sdk";
import { isFolder } from "../../../lib/is-program.ts";
import { isUserError } from "../../../lib/user-error.ts";
import type { NativeSession, OpenNative } from "../open-native.ts";
import { askEditor } from "./ask-editor.ts";

/** A session that an editor has open. */
export interface EditorSession extends NativeSession {
  /** Set while a prompt is running. `answer` settles when the run is over. */
  working?: { readonly abort: AbortController; readonly answer: Promise<PromptResponse> } | undefined;
}

/** The sessions of one connection. */
export interface SessionTable {
  find(id: string): EditorSession;
  start(place: { readonly cwd: string; readonly resume?: string }, client: AgentContext): Promise<EditorSession>;
  /** Interrupts the running prompt. Does nothing if the session is idle or not open. */
  cancel(id: string): void;
  close(id: string): Promise<void>;
  closeAll(): Promise<void>;
}

export function sessionTable(open: OpenNative): SessionTable {
  const sessions = new Map<string, EditorSession>();
  const close = async (id: string) => {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.working?.abort.abort(new Error("closed"));
    await session?.working?.answer.catch(() => {});
    await session?.[Symbol.asyncDispose]();
  };
  return {
    find(id) {
      const session = sessions.get(id);
      if (session === undefined) throw RequestError.sessionNotFound(id);
      return session;
    },
    async start({ cwd, resume }, client) {
      checkFolder(cwd);
      let id = resume ?? "";
      const session = await withUserErrors(open({ cwd, resume, askPerson: askEditor(client, () => id) }));
      ({ id } = session.conversation);
      sessions.set(id, session);
      return session;
    },
    cancel: (id) => sessions.get(id)?.working?.abort.abort(new Error("cancelled")),
    close,
    async closeAll() {
      for (const id of sessions.keys()) await close(id);
    },
  };
}

function checkFolder(cwd: string): void {
  if (!isAbsolute(cwd) || !isFolder(cwd))
    throw RequestError.invalidParams(undefined, "cwd must be the absolute path of a folder");
}

/** Reports user errors to the editor as text. Everything else becomes an internal error there. */
async function withUserErrors<Result>(opening: Promise<Result>): Promise<Result> {
  try {
    return await opening;
  } catch (error) {
    if (!isUserError(error)) throw error;
    throw RequestError.invalidParams(undefined, `${error.message} (${error.fix})`);
  }
}
