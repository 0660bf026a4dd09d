import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { text as textOfStream } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { ScriptInput } from "./script.ts";
import { startScriptedModel } from "./server.ts";

const tools = [{ type: "function", function: { name: "bash", parameters: { properties: { command: {} } } } }];
const question = { model: "m", messages: [{ role: "user", content: "hi" }], tools };

async function model(script: ScriptInput = { turns: [{ text: "hello" }] }) {
  const started = await startScriptedModel({ script });
  onTestFinished(() => started.close());
  return started;
}

const post = (url: string, body: RequestInit["body"] | object, init: RequestInit = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: body instanceof ReadableStream || typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });

const errorOf = async (response: Response) => ({ status: response.status, body: await response.json() });
const refusal = (status: number, message: unknown, type = "invalid_request_error") => ({
  status,
  body: { error: { message, type, param: null, code: null } },
});

test("a request is captured whole, and what was captured can be fetched", async () => {
  const { url, requests, failedExpectations } = await model();

  const response = await post(url, question, { headers: { "content-type": "text/plain" } });

  const captured = {
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    wire: "chat-completions",
    path: "/v1/chat/completions",
    model: "m",
    stream: false,
    userTexts: ["hi"],
    system: "",
    toolNames: ["bash"],
    turn: 0,
    scene: 0,
    answered: "turn",
    body: question,
  };
  expect(response.status).toBe(200);
  expect(requests).toEqual([captured]);
  expect(await (await fetch(`${url}/__requests`)).json()).toEqual([captured]);
  expect(await (await fetch(`${url}/__failed`)).json()).toEqual(failedExpectations);
});

test("models are listed under any prefix and tokens are counted without being captured", async () => {
  const { url, requests } = await model();
  const listed = await fetch(`${url}/a/b/v1/models`);
  const counted = await fetch(`${url}/v1/messages/count_tokens?beta=true`, { method: "POST", body: '{"a":"bcd"}' });
  expect(await listed.json()).toMatchObject({ data: [{ id: "scripted" }], models: [{ name: "models/scripted" }] });
  expect(await counted.json()).toEqual({ input_tokens: 3 });
  expect(requests).toEqual([]);
});

test.each([
  ["GET", "/"],
  ["GET", "/v1/chat/completions"],
  ["POST", "/v1/embeddings"],
  ["POST", "/__requests"],
  ["DELETE", "/v1/models"],
  ["GET", "//evil/%zz"],
])("%s %s is not served", async (method, path) => {
  const { url } = await model();
  const response = await fetch(url + path, { method });
  expect(await errorOf(response)).toEqual(
    refusal(404, "the scripted model does not serve this path", "not_found_error"),
  );
});

test.each([
  ["an empty body", "", "the body is not JSON: Unexpected end of JSON input"],
  ["half of a body", '{"model": "m", "mess', expect.stringContaining("the body is not JSON: ")],
  ["a body of another wire", '{"contents": []}', expect.stringContaining("invalid request for this wire: ")],
  ["a body of brackets", "[".repeat(5_000_000), "the body is nested deeper than 500 levels"],
  ["a deep body", `${"[".repeat(600)}${"]".repeat(600)}`, "the body is nested deeper than 500 levels"],
])("%s is refused and not captured", async (_, body, message) => {
  const { url, requests } = await model();
  expect(await errorOf(await post(url, body))).toEqual(refusal(400, message));
  expect(requests).toEqual([]);
});

test("a body of 64 MiB is played, a larger one refused, a compressed one too", async () => {
  const { url } = await model();
  const padded = (size: number) => JSON.stringify(question).padEnd(size, " ");
  const most = 64 * 1024 * 1024;
  expect((await post(url, padded(most))).status).toBe(200);
  expect(await errorOf(await post(url, padded(most + 1)))).toEqual(
    refusal(413, `the body is larger than ${most} bytes`),
  );
  const compressed = await post(url, "x", { headers: { "content-encoding": "gzip" } });
  expect(await errorOf(compressed)).toEqual(refusal(415, "gzip bodies are not supported"));
});

test("fifty requests at once are all answered, each in its own conversation", async () => {
  const { url, requests } = await model({ turns: [{ text: "one", delay_ms: 20 }, { text: "two" }] });
  const history = [...question.messages, { role: "assistant", content: "one" }, { role: "user", content: "and" }];
  const bodies = Array.from({ length: 50 }, (_, index) =>
    index % 2 === 0 ? question : { ...question, messages: history },
  );

  const answers = await Promise.all(bodies.map(async (body) => (await post(url, body)).json()));

  expect(answers.map((answer) => JSON.stringify(answer).includes('"content":"one"'))).toEqual(
    bodies.map((body) => body === question),
  );
  expect(requests.length).toBe(50);
});

test("each event is one chunk of the stream", async () => {
  const { port } = await model({ turns: [{ text: "A sentence in more than one piece, in order." }] });
  const body = JSON.stringify({ ...question, stream: true });
  const socket = await dial(port);
  socket.end(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );

  const [, ...chunks] = (await textOfStream(socket)).split(/\r\n[0-9a-f]+\r\n/);

  const events = chunks.filter((chunk) => chunk.trim() !== "");
  expect(events.map((chunk) => chunk.match(/data: /g)?.length)).toEqual([1, 1, 1, 1, 1]);
  expect(events.every((chunk) => chunk.endsWith("\n\n"))).toBe(true);
});

test("delays come before the first byte and between events", async () => {
  const { url } = await model({ turns: [{ text: "hi", delay_ms: 60, chunk_delay_ms: 30 }] });
  const start = performance.now();
  const response = await post(url, { ...question, stream: true });
  const first = performance.now();
  await response.text();
  const last = performance.now();
  expect(first - start).toBeGreaterThan(55);
  expect(last - first).toBeGreaterThan(75);
});

test("a hanging turn ends when the client goes, and the next attempt is answered", async () => {
  const { url, requests } = await model({ turns: [{ text: "hi", failures: [{ hang: true }] }] });
  const client = new AbortController();
  const hanging = expect(post(url, question, { signal: client.signal })).rejects.toThrow("aborted");
  await expect.poll(() => requests.length, { timeout: 30_000 }).toBe(1);
  client.abort();
  await hanging;
  expect((await post(url, question)).status).toBe(200);
  expect(requests.map((request) => request.answered)).toEqual(["failure", "turn"]);
});

test("closing ends hanging requests and streams under way, and can be done twice", async () => {
  const { url, close } = await model({ turns: [{ text: "hi", failures: [{ hang: true }], chunk_delay_ms: 10_000 }] });
  const hanging = post(url, question).then(
    () => "answered",
    () => "ended",
  );
  await sleep(50);
  const streaming = await post(url, { ...question, stream: true });
  await close();
  await close();
  expect(await hanging).toBe("ended");
  await expect(streaming.text()).rejects.toThrow("terminated");
});

test("clients that leave in the middle, or send nonsense, do no harm", async () => {
  const { url, port } = await model({ turns: [{ text: "hi".repeat(1000), chunk_delay_ms: 5 }] });
  const half = await dial(port);
  half.write("POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
  const nonsense = await dial(port);
  nonsense.end("\0\0\0 not http\r\n\r\n");
  const leaving = await post(url, { ...question, stream: true });
  await leaving.body?.getReader().read();
  await leaving.body?.cancel().catch(() => {});
  await sleep(20);
  half.resetAndDestroy();
  nonsense.destroy();
  await sleep(20);
  expect((await post(url, question)).status).toBe(200);
});

test("a listener that fails makes that request fail and no other", async () => {
  let failing = true;
  await using started = await startScriptedModel({
    script: { turns: [{ text: "hi" }] },
    onRequest: () => {
      if (failing) throw new Error("no space left");
    },
  });
  expect(await errorOf(await post(started.url, question))).toEqual(refusal(500, "no space left", "server_error"));
  failing = false;
  expect((await post(started.url, question)).status).toBe(200);
});

test("a port in use is a mistake with a fix, and only loopback is bound", async () => {
  const { port, url } = await model();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  await expect(startScriptedModel({ script: { turns: [{ text: "hi" }] }, port })).rejects.toMatchObject({
    name: "UserError",
    message: `cannot listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    where: `127.0.0.1:${port}`,
    fix: "choose another port, or omit it to get a free one",
  });
});

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

test("a key that the documentation suggests is no part of a played failure, where it would be blanked out", async () => {
  const docs = readFileSync(new URL("../../../docs/scripted-model.md", import.meta.url), "utf8");
  const keys = [...docs.matchAll(/_KEY=(\S+)/g)].map(([, key = ""]) => key);
  const { url } = await model({ turns: [{ text: "x", failures: [{ status: 413 }] }] });
  const refused = await (await post(url, question)).text();
  expect(refused).toContain("413");
  expect([keys.length, keys.filter((key) => refused.includes(key))]).toEqual([2, []]);
});
