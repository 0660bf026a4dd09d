import { RequestError } from "@agentclientprotocol/sdk";
import { type InTurn, oneAtATime } from "../../../lib/one-at-a-time.ts";
import type { EditorSession } from "./editor-session.ts";

/** The sessions of one connection. */
export interface SessionTable {
  find(id: string): EditorSession;
  /** Opens a new session. */
  add(open: () => Promise<EditorSession>): Promise<EditorSession>;
  /** Closes a session if it is open, then does something with it: opens it again, or removes it. One at a time. */
  afterClosing<Result>(id: string, work: () => Promise<Result>): Promise<Result>;
  /** Interrupts the running prompt. Does nothing if the session is idle or not open. */
  cancel(id: string): void;
  closeAll(): Promise<void>;
}

export function sessionTable(): SessionTable {
  const sessions = new Map<string, EditorSession>();
  const turns = new Map<string, InTurn>();
  const opening = new Set<Promise<unknown>>();
  let isClosed = false;
  const close = async (id: string) => {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.working?.abort.abort(new Error("closed"));
    await session?.working?.answer.catch(() => {});
    await session?.[Symbol.asyncDispose]();
  };
  const add = async (open: () => Promise<EditorSession>) => {
    const session = await open();
    sessions.set(session.conversation.id, session);
    if (isClosed) await close(session.conversation.id);
    return session;
  };
  const tracked = async <Result>(work: Promise<Result>) => {
    opening.add(work);
    return await work.finally(() => opening.delete(work));
  };
  return {
    find(id) {
      const session = sessions.get(id);
      if (session === undefined) throw RequestError.sessionNotFound(id);
      return session;
    },
    add: (open) => tracked(add(open)),
    async afterClosing(id, work) {
      const inTurn = turns.get(id) ?? oneAtATime();
      turns.set(id, inTurn);
      return await tracked(
        inTurn(async () => {
          await close(id);
          return await work();
        }),
      );
    },
    cancel: (id) => sessions.get(id)?.working?.abort.abort(new Error("cancelled")),
    async closeAll() {
      isClosed = true;
      await Promise.allSettled(opening);
      for (const id of sessions.keys()) await close(id);
    },
  };
}
