import { agent, client, type ClientContext, methods } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import type { EditorBuffers } from "../../contract/tool.ts";
import { editorFeatures, editorLink, openBuffers } from "./editor-session.ts";

const { signal } = new AbortController();

/** The buffers of an editor in this process, which answers with `read`. */
async function buffersOf(read: () => Promise<{ content: string }>) {
  const said: unknown[] = [];
  const [there, back] = [new TransformStream(), new TransformStream()];
  const opened = Promise.withResolvers<EditorBuffers | undefined>();
  const engine = agent({ name: "agent" }).onNotification(methods.agent.session.cancel, ({ client: editor }) => {
    const features = editorFeatures({ fs: { readTextFile: true } });
    const link = editorLink(editor, features, () => "s");
    link.begin();
    opened.resolve(openBuffers(link, 30));
  });
  const serving = engine.connect({ readable: there.readable, writable: back.writable });
  const editing = client({ name: "editor" })
    .onRequest(methods.client.fs.readTextFile, read)
    .onNotification(methods.client.session.update, ({ params }) => void said.push(params.update))
    .connect({ readable: back.readable, writable: there.writable });
  onTestFinished(() => {
    serving.close();
    editing.close();
  });
  const editor: ClientContext = editing.agent;
  await editor.notify(methods.agent.session.cancel, { sessionId: "s" });
  return { buffers: await opened.promise, said };
}

test("an editor that does not answer is asked once, and it is said", async () => {
  let asked = 0;
  const { buffers, said } = await buffersOf(() => {
    asked++;
    return new Promise(() => {});
  });
  await expect(buffers?.read("/a", signal)).rejects.toThrow("did not answer within 0.03 s");
  await expect(buffers?.read("/b", signal)).rejects.toThrow("did not answer before");
  await expect.poll(() => said.length).toBe(1);
  expect([asked, JSON.stringify(said)]).toEqual([1, expect.stringContaining("unsaved changes in it are not seen")]);
});

test("an interruption ends the waiting, and says nothing about the editor", async () => {
  const { buffers, said } = await buffersOf(() => new Promise(() => {}));
  await expect(buffers?.read("/a", AbortSignal.abort(new Error("stop")))).rejects.toThrow();
  expect([said, buffers?.write]).toEqual([[], undefined]);
});
