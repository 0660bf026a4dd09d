import { isAbsolute } from "node:path";
import { type McpServer as EditorServer, methods, type PromptResponse, RequestError } from "@agentclientprotocol/sdk";
import type { McpServer } from "../../contract/mcp-server.ts";
import type { EditorBuffers } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { isUserError } from "../../lib/text/user-error.ts";
import type { NativeSession, OpenNative } from "../session.ts";
import type { NativeSettings } from "../settings/session-settings.ts";
import { askEditor, askQuestion } from "./ask-editor.ts";
import { type EditorLink, editorLink } from "./editor-link.ts";
import { configOptions, type ModelSwitch, modelSwitch, type SessionChoices } from "./session-choices.ts";

/** A session that an editor has open. */
export interface EditorSession extends NativeSession, SessionChoices {
  readonly models: ModelSwitch;
  readonly link: EditorLink;
  /** What the editor was last told about modes and options. */
  readonly told: { mode: string; options: string };
  /** Set while a prompt is running. `answer` settles when the run is over. */
  working?: { readonly abort: AbortController; readonly answer: Promise<PromptResponse> } | undefined;
}

/** Where an editor wants a session. */
export interface EditorPlace {
  readonly cwd: string;
  readonly resume?: string | undefined;
  readonly servers: readonly EditorServer[];
}

/** What opens sessions. The settings are those of the session's folder, and may name another model. */
export interface SessionOpener {
  readonly settingsFor: (place: Pick<EditorPlace, "cwd" | "resume"> & { readonly model?: string }) => NativeSettings;
  readonly open: (settings: NativeSettings) => OpenNative;
}

export async function openEditorSession(
  { settingsFor, open }: SessionOpener,
  { cwd, resume, servers }: EditorPlace,
  { client, features }: Pick<EditorLink, "client" | "features">,
): Promise<EditorSession> {
  if (!isAbsolute(cwd) || !isFolder(cwd))
    throw RequestError.invalidParams(undefined, "cwd must be the absolute path of a folder");
  return await withUserErrors(async () => {
    let id = resume ?? "";
    const link = editorLink({ client, features, sessionId: () => id });
    const settings = settingsFor({ cwd, resume });
    const models = modelSwitch(settings);
    const { model, effort } = models;
    const session = await open({ ...settings, model, effort, warn: link.announce })({
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
      openModel: (name) => settingsFor({ cwd, resume: id, model: name }),
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
