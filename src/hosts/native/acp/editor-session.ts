import { isAbsolute } from "node:path";
import { type McpServer as EditorServer, type PromptResponse, RequestError } from "@agentclientprotocol/sdk";
import { isFolder } from "../../../lib/is-program.ts";
import { isUserError } from "../../../lib/user-error.ts";
import type { NativeSettings } from "../native-settings.ts";
import type { NativeSession, OpenNative } from "../open-native.ts";
import { askEditor } from "./ask-editor.ts";
import { askQuestion } from "./ask-question.ts";
import { type EditorLink, editorLink } from "./editor-link.ts";
import { mcpServers } from "./mcp-servers.ts";
import { type ModelSwitch, modelSwitch } from "./model-switch.ts";
import { openBuffers } from "./open-buffers.ts";
import { configOptions, type SessionChoices } from "./session-choices.ts";

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
