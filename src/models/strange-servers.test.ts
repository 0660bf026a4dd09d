import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { chooseModel } from "./choose-model.ts";
import { ModelError } from "./model.ts";
import { openModel } from "./open-model.ts";

/** A server that answers each connection with these bytes, and does not close it unless told to. */
async function serving(bytes: string | Buffer, close = false) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => socket.destroy());
    socket.on("data", () => (close ? socket.end(bytes) : socket.write(bytes)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}/v1`, sockets };
}

async function ask(provider: string, url: string, key?: string) {
  const environment = key === undefined ? {} : { SIGNALBOX_API_KEY: key };
  const choice = chooseModel({ name: `${provider}/m`, baseUrl: url, environment });
  const model = openModel(choice, { idleMs: 20_000, mostBytes: 1e6 });
  const history = [{ role: "user", text: "go", source: "person" } as const];
  try {
    return (await Array.fromAsync(model.ask({ system: "", history, tools: [] }, AbortSignal.timeout(15_000)))).at(-1);
  } catch (error) {
    if (error instanceof ModelError) return `${error.kind}: ${error.message}`;
    throw error;
  }
}

const head = (type: string, status = "200 OK") => `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n\r\n`;
const STREAM = head("text/event-stream");
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

test("a server that changes the protocol is a broken connection, not a wait for ever", async () => {
  const { url } = await serving(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
  );
  expect(await ask("compatible", url)).toBe(
    "transient: Cannot connect to API: the connection was closed without an answer",
  );
});

test("an answer is whole with the provider's last word, though the connection stays open", async () => {
  const { url, sockets } = await serving(`${STREAM}${chunk({ content: "hi" }, "stop")}data: [DONE]\n\n`);
  expect(await ask("compatible", url)).toMatchObject({
    message: { parts: [{ type: "text", text: "hi" }], stop: "end" },
  });
  await expect.poll(() => sockets.every((socket) => socket.readableEnded || socket.destroyed)).toBe(true);
});

test("after an error in the stream the connection is closed", async () => {
  const error = `data: ${JSON.stringify({ error: { message: "overloaded" } })}\n\n`;
  const { url, sockets } = await serving(`${STREAM}${error}`);
  expect(await ask("compatible", url)).toContain("overloaded");
  await expect.poll(() => sockets.every((socket) => socket.readableEnded || socket.destroyed)).toBe(true);
});

const ERROR_IN_STREAM: Readonly<Record<string, string>> = {
  anthropic: `event: message_start
data: {"type":"message_start","message":{"id":"1","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}

event: error
data: {"type":"error","error":{"type":"overloaded_error","message":"overloaded"}}

`,
  openai: 'data: {"type":"error","code":"server_error","message":"overloaded","param":null,"sequence_number":1}\n\n',
  "openai-chat": 'data: {"error":{"message":"overloaded","type":"server_error","code":null,"param":null}}\n\n',
  compatible: 'data: {"error":{"message":"overloaded","code":529}}\n\n',
  google: 'data: {"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}\n\n',
};
const KEPT = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: keep-alive\r\n";
const WAYS_TO_END: Readonly<Record<string, (body: string) => string | Buffer>> = {
  "with its length": (body) => `${KEPT}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  packed: (body) => {
    const bytes = gzipSync(body);
    return Buffer.concat([
      Buffer.from(`${KEPT}content-encoding: gzip\r\ncontent-length: ${bytes.length}\r\n\r\n`),
      bytes,
    ]);
  },
  "in chunks": (body) =>
    `${KEPT}transfer-encoding: chunked\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
};

describe.each(Object.entries(WAYS_TO_END))(
  "a whole answer %s that ends as it should, over a kept connection",
  (_, framed) => {
    test.each(Object.entries(ERROR_IN_STREAM))(
      "may be tried again after an error inside, over %s",
      async (name, body) => {
        const faults = watchFaults();
        const { url } = await serving(framed(body));
        expect([await ask(name, url), await ask(name, url)]).toEqual(
          Array(2).fill(expect.stringMatching(/^transient: /)),
        );
        expect(await faults()).toEqual([]);
      },
    );

    test.each(Object.keys(ERROR_IN_STREAM))("may be tried again after noise, over %s", async (name) => {
      const faults = watchFaults();
      const { url } = await serving(framed("data: {not json}\n\ndata: [DONE]\n\n"));
      expect([await ask(name, url), await ask(name, url)]).toEqual(
        Array(2).fill(expect.stringMatching(/^transient: /)),
      );
      expect(await faults()).toEqual([]);
    });
  },
);

/** Collects unhandled errors, which would end a real program, until they are requested. */
function watchFaults(): () => Promise<unknown[]> {
  const faults: unknown[] = [];
  const note = (fault: unknown) => faults.push(fault);
  process.on("uncaughtExceptionMonitor", note);
  onTestFinished(() => void process.off("uncaughtExceptionMonitor", note));
  return async () => {
    await new Promise(setImmediate);
    return faults;
  };
}

test("a document in place of a stream is told by what it says", async () => {
  const said = async (document: object) =>
    await ask("compatible", (await serving(`${head("application/json")}${JSON.stringify(document)}`, true)).url);
  expect(await said({ error: { message: "insufficient quota" } })).toBe("refused: HTTP 200: insufficient quota");
  expect(await said({ error: { message: "the model is overloaded" } })).toBe(
    "transient: HTTP 200: the model is overloaded",
  );
  expect(await said({ choices: [] })).toContain("does the server support streaming?");
  const wrongName = `${head("application/json")}${chunk({ content: "hi" }, "stop")}data: [DONE]\n\n`;
  expect(await ask("compatible", (await serving(wrongName, true)).url)).toMatchObject({ message: { stop: "end" } });
});

test("a key that the server repeats is not told", async () => {
  const key = "sk-1234567890abcdef";
  const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } });
  const { url } = await serving(`${head("application/json", "401 Unauthorized")}${body}`, true);
  expect(await ask("compatible", url, key)).toBe(
    "refused: HTTP 401: Incorrect API key provided: [the key] (the key in SIGNALBOX_API_KEY was refused)",
  );
});

test("calls of an answer that a filter cut off are not kept", async () => {
  const tool_calls = [{ index: 0, id: "c", function: { name: "bash", arguments: '{"command":"ls"}' } }];
  const { url } = await serving(
    `${STREAM}${chunk({ tool_calls }, null)}${chunk({}, "content_filter")}data: [DONE]\n\n`,
    true,
  );
  expect(await ask("compatible", url)).toMatchObject({ message: { parts: [], stop: "refusal" } });
});
