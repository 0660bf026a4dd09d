import { isAbsolute } from "node:path";
import {
  type AgentContext,
  type ClientCapabilities,
  type ElicitationPropertySchema,
  type McpServer as EditorServer,
  methods,
  type PermissionOption,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { McpServer } from "../../contract/mcp-server.ts";
import type { AskPerson, AskUser, EditorBuffers } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import { fenced, printable, printableLine } from "../../lib/text/printable.ts";
import { isUserError } from "../../lib/text/user-error.ts";
import type { nativeOpener, NativeSession } from "../session.ts";
import type { NativeSettings } from "../settings/session-settings.ts";
import { showCall } from "../terminal/event-lines.ts";
import { configOptions, type ModelSwitch, modelSwitch, type SessionChoices } from "./session-choices.ts";
import { describeCall, message } from "./session-updates.ts";

/** A session that an editor has open. */
export interface EditorSession extends NativeSession, SessionChoices {
  readonly models: ModelSwitch;
  readonly link: EditorLink;
  /** What the editor was last told about modes and options. */
  readonly told: { mode: string; options: string };
  /** Set while a prompt is running. `answer` settles when the run is over. */
  working?: { readonly abort: AbortController; readonly answer: Promise<PromptResponse> } | undefined;
}

/** The session that an editor wants. */
export interface WantedSession {
  readonly cwd: string;
  readonly resume?: string | undefined;
  readonly servers: readonly EditorServer[];
}

/** The settings of a folder, for a session that is resumed there if one is named. They may name another model. */
export type SettingsFor = (cwd: string, resume: string | undefined, model?: string) => NativeSettings;

/** How sessions of editors are opened. */
interface EditorOpening {
  readonly settingsFor: SettingsFor;
  readonly opener: typeof nativeOpener;
}

export async function openEditorSession(
  { settingsFor, opener }: EditorOpening,
  { cwd, resume, servers }: WantedSession,
  client: AgentContext,
  features: EditorFeatures,
): Promise<EditorSession> {
  if (!isAbsolute(cwd) || !isFolder(cwd))
    throw RequestError.invalidParams(undefined, "cwd must be the absolute path of a folder");
  return await withUserErrors(async () => {
    let id = resume ?? "";
    const link = editorLink(client, features, () => id);
    const settings = settingsFor(cwd, resume);
    const models = modelSwitch(settings);
    const { model, effort } = models;
    const session = await opener({ ...settings, model, effort, warn: link.announce })({
      cwd,
      resume,
      askPerson: askEditor(link),
      askUser: features.asksQuestions ? askQuestion(link) : undefined,
      buffers: openBuffers(link),
      mcpServers: mcpServers(servers, link.announce),
    });
    ({ id } = session.conversation);
    const choices: SessionChoices = {
      mode: session.mode,
      models,
      environment: settings.environment,
      openModel: (name) => settingsFor(cwd, id, name),
    };
    const told = { mode: session.mode.current, options: JSON.stringify(configOptions(choices)) };
    return { ...session, ...choices, models, link, told };
  });
}

/** Reports user errors to the editor as text. Everything else becomes an internal error there. */
export async function withUserErrors<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isUserError(error)) throw error;
    const words = `${error.message}${error.where === undefined ? "" : ` (${error.where})`}: ${error.fix}`;
    if (error.isAboutAccess) throw RequestError.authRequired(undefined, words);
    throw RequestError.invalidParams(undefined, words);
  }
}

const MAX_NAME = 128;

/** The MCP servers that an editor names, in our own form. One without a usable name, or with that of another, is left out. */
function mcpServers(servers: readonly EditorServer[], announce: (text: string) => void): readonly McpServer[] {
  const named = new Map<string, McpServer>();
  for (const server of servers) {
    const name = printableLine(server.name).trim();
    if (name === "" || name.length > MAX_NAME)
      announce(`the editor names an MCP server with a name that is empty or too long; it is not used`);
    else if (named.has(name)) announce(`the editor names two MCP servers ${name}; the second is not used`);
    else named.set(name, ours(server, name));
  }
  return [...named.values()];
}

function ours(server: EditorServer, name: string): McpServer {
  const named = { name, isEditors: true };
  if ("url" in server) return { ...named, type: server.type, url: server.url, headers: pairs(server.headers) };
  return { ...named, type: "stdio", command: server.command, args: server.args, env: pairs(server.env) };
}

const pairs = (list: readonly { readonly name: string; readonly value: string }[]) =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));

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

export function editorLink(client: AgentContext, features: EditorFeatures, sessionId: () => string): EditorLink {
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

/** Asks the user in the editor. If the editor is gone, answers nonsense or cancels the request, the answer is no. */
function askEditor({ client, sessionId }: EditorLink): AskPerson {
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

const MAX_ANSWER = 20_000;

/** Asks the user a question of the model in a form of the editor. Throws if it is not answered. */
const askQuestion =
  ({ client, sessionId }: EditorLink): AskUser =>
  async ({ question, choices }, signal) => {
    const response: unknown = await client.request(
      methods.client.elicitation.create,
      {
        mode: "form",
        sessionId: sessionId(),
        message: question,
        requestedSchema: { type: "object", ...form(choices) },
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    const { action, content } = isRecord(response) ? response : {};
    if (action === "decline") throw new Error("the user declined to answer");
    if (action !== "accept") throw new Error("the user closed the question without an answer");
    const answer = isRecord(content) ? wordsOf(content) : "";
    if (answer === "") throw new Error("the user gave an empty answer");
    return answer.length > MAX_ANSWER ? `${answer.slice(0, MAX_ANSWER)} [cut]` : answer;
  };

/** With choices, the user can still answer in other words, as on a terminal. */
function form(choices: readonly string[]) {
  const words: ElicitationPropertySchema = { type: "string", title: choices.length === 0 ? "Answer" : "Other answer" };
  if (choices.length === 0) return { properties: { answer: words }, required: ["answer"] };
  const oneOf = [...new Set(choices)].map((choice) => ({ const: choice, title: choice }));
  return { properties: { choice: { type: "string", title: "Answer", oneOf } as const, answer: words } };
}

function wordsOf({ answer, choice }: Readonly<Record<string, unknown>>): string {
  const [words = ""] = [answer, choice].flatMap((value) =>
    typeof value === "string" && value.trim() !== "" ? [value.trim()] : [],
  );
  return words;
}
