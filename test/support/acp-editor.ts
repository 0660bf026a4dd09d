import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  client,
  type ClientCapabilities,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type InitializeResponse,
  methods,
  ndJsonStream,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import type { ScriptInput } from "../../src/models/scripted/script.ts";
import { startScriptedModel } from "../../src/models/scripted/server.ts";
import { SIGNALBOX } from "./run-signalbox.ts";
import { tempFolder, tempRepository } from "./temp-folder.ts";
import { withoutSandbox } from "./without-sandbox.ts";

/** An editor's place: a model that plays `script`, a repository, and a home that outlives one agent process. */
export async function place(script: ScriptInput) {
  const server = await startScriptedModel({ script });
  onTestFinished(() => server.close());
  return { server, cwd: tempRepository(), home: withoutSandbox(tempFolder()) };
}

export interface Editor {
  readonly agent: ClientContext;
  readonly hello: InitializeResponse;
  readonly updates: SessionNotification["update"][];
  readonly asked: RequestPermissionRequest[];
  /** A new session in the folder of the place, or in another. */
  begin(cwd?: string): Promise<NewSessionResponse>;
  ask(sessionId: string, words: string): Promise<PromptResponse>;
  /** The process, for editors that misbehave. */
  readonly child: ReturnType<typeof spawnAgent>;
  close(): Promise<number | null>;
}

interface EditorOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly capabilities?: ClientCapabilities;
  readonly read?: (path: string) => unknown;
  readonly write?: (path: string, content: string) => unknown;
  readonly elicit?: (
    request: CreateElicitationRequest,
  ) => CreateElicitationResponse | Promise<CreateElicitationResponse>;
}

type Place = Awaited<ReturnType<typeof place>>;

const spawnAgent = ({ server, home }: Place, { flags, env, cwd }: EditorOptions) =>
  spawn(
    SIGNALBOX,
    ["native", "--acp", ...(flags ?? ["--model", "anthropic/claude-sonnet-4-5", "--base-url", server.url])],
    { env: { PATH: process.env["PATH"], HOME: home, ...env }, cwd, stdio: ["pipe", "pipe", "inherit"] },
  );

/** Starts the agent as an editor does, and answers its questions with `answer`. */
export async function openEditor(
  here: Place,
  answer: (request: RequestPermissionRequest) => Promise<string | undefined> | string | undefined = () => "once",
  options: EditorOptions = {},
): Promise<Editor> {
  const child = spawnAgent(here, options);
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {
    // The agent may be gone.
  });
  const updates: Editor["updates"] = [];
  const asked: RequestPermissionRequest[] = [];
  const { read, write, elicit } = options;
  const app = client({ name: "test-editor" })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const optionId = await answer(params);
      return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
    })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update));
  if (read !== undefined) app.onRequest("fs/read_text_file", parseFile, async ({ params }) => await read(params.path));
  if (write !== undefined)
    app.onRequest("fs/write_text_file", parseFile, async ({ params }) => await write(params.path, params.content));
  if (elicit !== undefined) app.onRequest(methods.client.elicitation.create, ({ params }) => elicit(params));
  const { agent } = app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  const hello = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: options.capabilities ?? {},
  });
  expect(hello).toMatchObject({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: { loadSession: true } });
  return {
    agent,
    hello,
    updates,
    asked,
    child,
    begin: (cwd = here.cwd) => agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
    ask: (sessionId, words) => agent.request(methods.agent.session.prompt, { sessionId, prompt: text(words) }),
    async close() {
      child.stdin.end();
      return await exited;
    },
  };
}

const FileRequest = z.object({ path: z.string(), content: z.string().default("") });
const parseFile = (params: unknown) => FileRequest.parse(params);

export const text = (words: string): ContentBlock[] => [{ type: "text", text: words }];

/** The words of the agent, joined. */
export const said = (updates: Editor["updates"]): string =>
  updates
    .flatMap((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : [],
    )
    .join("");

/** All updates of one kind. */
export const updatesOf = <Kind extends Editor["updates"][number]["sessionUpdate"]>(
  updates: Editor["updates"],
  kind: Kind,
) =>
  updates.filter((update): update is Extract<typeof update, { sessionUpdate: Kind }> => update.sessionUpdate === kind);
