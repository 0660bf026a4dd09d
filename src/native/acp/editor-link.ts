import { type AgentContext, type ClientCapabilities, methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import { printable } from "../../lib/text/printable.ts";

/** What the editor can do beside the least that the protocol asks of it. */
export interface EditorFeatures {
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly asksQuestions: boolean;
  readonly showsNotices: boolean;
}

export const editorFeatures = ({ fs, elicitation, session }: ClientCapabilities): EditorFeatures => ({
  readsFiles: fs?.readTextFile === true,
  writesFiles: fs?.writeTextFile === true,
  asksQuestions: isGiven(elicitation?.form),
  showsNotices: isGiven(session?.notices),
});

const isGiven = (capability: object | null | undefined) => capability !== undefined && capability !== null;

/** The way to the editor for one session. */
export interface EditorLink {
  readonly client: AgentContext;
  readonly features: EditorFeatures;
  readonly sessionId: () => string;
  /** Resolves when the update is on its way. Rejects if the editor is gone. */
  tell(update: SessionUpdate): Promise<void>;
  /** Says something that is no part of the conversation. What is said before `begin` is said then. */
  readonly announce: (text: string) => void;
  /** From now on the editor knows the session. */
  begin(): void;
}

type LinkPlace = Pick<EditorLink, "client" | "features" | "sessionId">;

export function editorLink({ client, features, sessionId }: LinkPlace): EditorLink {
  let waiting: string[] | undefined = [];
  const tell = (update: SessionUpdate) =>
    client.notify(methods.client.session.update, { sessionId: sessionId(), update });
  // An editor that is gone needs no announcement.
  const announce = (text: string) => void tell(announcement(text, features)).catch(() => {});
  return {
    client,
    features,
    sessionId,
    tell,
    announce(text) {
      if (waiting === undefined) announce(text);
      else waiting.push(text);
    },
    begin() {
      for (const text of waiting ?? []) announce(text);
      waiting = undefined;
    },
  };
}

const MAX_TITLE = 200;

function announcement(text: string, { showsNotices }: EditorFeatures): SessionUpdate {
  const words = printable(text);
  if (!showsNotices) return message(`\n\n> signalbox: ${words.replaceAll("\n", "\n> ")}\n\n`);
  const title = (words.split("\n")[0] ?? "").slice(0, MAX_TITLE) || "signalbox";
  const rest = words === title ? {} : { description: words };
  return { sessionUpdate: "notice", severity: "warning", title, ...rest };
}

/** Words of the agent. */
export const message = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});
