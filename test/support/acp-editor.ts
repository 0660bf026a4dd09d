import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  client,
  type ClientContext,
  type ContentBlock,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import { expect, onTestFinished } from "vitest";
import type { ScriptInput } from "../../src/models/scripted/script/script.ts";
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
  readonly updates: SessionNotification["update"][];
  readonly asked: RequestPermissionRequest[];
  close(): Promise<number | null>;
}

/** Starts the agent as an editor does, and answers its questions with `answer`. */
export async function openEditor(
  { server, home }: Awaited<ReturnType<typeof place>>,
  answer: (request: RequestPermissionRequest) => Promise<string | undefined> | string | undefined = () => "once",
): Promise<Editor> {
  const child = spawn(SIGNALBOX, ["native", "--acp", "--model", "anthropic/m", "--base-url", server.url], {
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  const updates: Editor["updates"] = [];
  const asked: RequestPermissionRequest[] = [];
  const connection = client({ name: "test-editor" })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const optionId = await answer(params);
      return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
    })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  const { agent } = connection;
  const hello = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  expect(hello).toMatchObject({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: { loadSession: true } });
  const close = async () => {
    child.stdin.end();
    return await exited;
  };
  return { agent, updates, asked, close };
}

export const text = (words: string): ContentBlock[] => [{ type: "text", text: words }];
