import type { AskPerson } from "../../contract/tool.ts";
import type { Conversation } from "./conversation.ts";

/** Where a conversation is held, and who can be asked. */
export interface NativePlace {
  readonly cwd: string;
  /** A session to go on with; undefined: a new one. */
  readonly resume?: string | undefined;
  /** Undefined: nobody can be asked, so what needs a question is denied. */
  readonly askPerson?: AskPerson | undefined;
}

/** A conversation with everything behind it: log, tools, processes. All of it ends when it is disposed of. */
export interface NativeSession extends AsyncDisposable {
  readonly conversation: Conversation;
}

export type OpenNative = (place: NativePlace) => Promise<NativeSession>;
