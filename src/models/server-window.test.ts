import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { chooseModel } from "./choose-model.ts";
import { openModel } from "./open-model.ts";

type Answers = Readonly<Record<string, unknown>>;

/** A server that answers some paths with JSON, and everything else with 404. It keeps what it was asked. */
async function serving(answers: Answers | ((request: IncomingMessage, response: ServerResponse) => void)) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (typeof answers === "function") return answers(request, response);
    const answer = answers[request.url ?? ""];
    response.statusCode = answer === undefined ? 404 : 200;
    response.setHeader("content-type", "application/json");
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}/v1`, asked };
}

const modelAt = (name: string, baseUrl: string, environment = {}) =>
  openModel(chooseModel({ name, baseUrl, environment }));

async function learned(name: string, url: string) {
  const model = modelAt(name, url);
  await model.learnLimits(AbortSignal.timeout(20_000));
  const { prompt, from } = model.limits;
  return { prompt, from };
}

const show = (more: object) => ({
  parameters: 'stop "<|im_end|>"\nnum_ctx                        8192',
  model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
  ...more,
});

test.each<readonly [string, string, Answers, number]>([
  ["llama.cpp", "llamacpp/any", { "/props": { default_generation_settings: { n_ctx: 65_536 } } }, 65_536],
  ["vLLM", "vllm/qwen", { "/v1/models": { data: [{ id: "x" }, { id: "qwen", max_model_len: 32_768 }] } }, 32_768],
  [
    "a server with one model",
    "compatible/any",
    { "/v1/models": { data: [{ id: "x", context_length: 16_384 }] } },
    16_384,
  ],
  ["llama.cpp by its address", "compatible/any", { "/props": { default_generation_settings: { n_ctx: 4096 } } }, 4096],
  ["Ollama with num_ctx", "ollama/qwen3", { "/api/show": show({}) }, 8192],
  [
    "Ollama with a loaded model",
    "ollama/qwen3",
    { "/api/show": show({ parameters: "" }), "/api/ps": { models: [{ name: "qwen3:latest", context_length: 4096 }] } },
    4096,
  ],
  ["Ollama, from the model alone", "ollama/qwen3", { "/api/show": show({ parameters: "" }) }, 40_960],
])("%s says its window", async (_, name, answers, prompt) => {
  const { url } = await serving(answers);
  expect(await learned(name, url)).toEqual({ prompt, from: "server" });
});

const props = (n_ctx: unknown) => ({ "/props": { default_generation_settings: { n_ctx } } });

test.each<readonly [string, string, Answers]>([
  ["a negative number", "llamacpp/m", props(-1)],
  ["zero", "llamacpp/m", props(0)],
  ["1e30", "llamacpp/m", props(1e30)],
  ["a fraction", "llamacpp/m", props(4096.5)],
  ["a text", "llamacpp/m", props("4096")],
  ["a list", "llamacpp/m", { "/props": [[[]]] }],
  ["null", "llamacpp/m", { "/props": "null" }],
  ["a web page", "llamacpp/m", { "/props": "<html><body>n_ctx: 4096</body></html>" }],
  ["two mebibytes", "llamacpp/m", { "/props": `{"x":"${"x".repeat(2 * 1024 * 1024)}"}` }],
  ["deep brackets", "llamacpp/m", { "/props": "[".repeat(500_000) }],
  [
    "a model among others that has another name",
    "vllm/m",
    { "/v1/models": { data: [{ id: "a", max_model_len: 9000 }, {}] } },
  ],
  ["models that are no list", "vllm/m", { "/v1/models": { data: { id: "m", max_model_len: 9000 } } }],
  ["an odd num_ctx", "ollama/m", { "/api/show": { parameters: "num_ctx 99999999999999", model_info: [] } }],
  ["an odd context_length", "ollama/m", { "/api/show": { model_info: { "a.context_length": "many" } } }],
  ["nothing", "ollama/m", {}],
])("%s is no window, so 128,000 is assumed and called a default", async (_, name, answers) => {
  const { url } = await serving(answers);
  expect(await learned(name, url)).toEqual({ prompt: 128_000, from: "default" });
});

test("a server that never answers, and one that never ends, cost a second at most and change nothing", async () => {
  const silent = await serving(() => {});
  const endless = await serving((_, response) => void response.writeHead(200).write("{"));
  const found = await Promise.all([learned("llamacpp/m", silent.url), learned("ollama/m", endless.url)]);
  expect(found).toEqual(Array.from({ length: 2 }, () => ({ prompt: 128_000, from: "default" })));
});

test("a server that is not there changes nothing", async () => {
  expect(await learned("ollama/m", "http://127.0.0.1:9/v1")).toEqual({ prompt: 128_000, from: "default" });
});

test("a redirect is not followed", async () => {
  const target = await serving(props(4096));
  const { url } = await serving((_, response) => {
    response.writeHead(302, { location: `${target.url.replace("/v1", "")}/props` }).end();
  });
  expect(await learned("llamacpp/m", url)).toEqual({ prompt: 128_000, from: "default" });
  expect(target.asked).toEqual([]);
});

test("a certain answer is asked for once, an uncertain one three times", async () => {
  const certain = await serving(props(4096));
  const uncertain = await serving({ "/api/show": show({ parameters: "" }) });
  const models = [modelAt("llamacpp/m", certain.url), modelAt("ollama/qwen3", uncertain.url)];
  for (const model of models) for (let time = 0; time < 5; time++) await model.learnLimits(AbortSignal.timeout(20_000));
  expect([certain.asked.length, uncertain.asked.length]).toEqual([2, 6]);
});

test("callers at the same time share one question", async () => {
  const { url, asked } = await serving(props(4096));
  const model = modelAt("llamacpp/m", url);
  await Promise.all(Array.from({ length: 10 }, () => model.learnLimits(AbortSignal.timeout(20_000))));
  expect(asked.toSorted()).toEqual(["GET /props", "GET /v1/models"]);
});

test("a provider in the cloud is never asked, and neither is a server nobody asked about", async () => {
  const { url, asked } = await serving(props(4096));
  const cloud = openModel(
    chooseModel({ name: "openrouter/m", baseUrl: url, environment: { OPENROUTER_API_KEY: "k" } }),
  );
  await cloud.learnLimits(AbortSignal.timeout(20_000));
  modelAt("llamacpp/m", url);
  expect([asked, cloud.limits]).toEqual([
    [],
    { prompt: 128_000, output: undefined, from: "default", family: "unknown", images: undefined },
  ]);
});

test("a request teaches more about a model that was loaded by it", async () => {
  let loaded = false;
  const { url } = await serving((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.url === "/api/show") return response.end(JSON.stringify(show({ parameters: "" })));
    if (request.url === "/api/ps")
      return response.end(JSON.stringify({ models: loaded ? [{ name: "qwen3", context_length: 4096 }] : [] }));
    // That the request fails is of no importance here.
    loaded = true;
    response.writeHead(400).end("{}");
  });
  const model = modelAt("ollama/qwen3", url);
  await model.learnLimits(AbortSignal.timeout(20_000));
  expect(model.limits.prompt).toBe(40_960);
  const ask = async () =>
    await Array.fromAsync(model.ask({ system: "", history: [], tools: [] }, AbortSignal.timeout(20_000))).catch(
      () => {},
    );
  await ask();
  await ask();
  await expect.poll(() => model.limits.prompt).toBe(4096);
});

test("limits of a known model come from the catalogue, and the largest prompt wins over the window", () => {
  const environment = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" };
  const limits = (name: string) => openModel(chooseModel({ name, environment })).limits;
  expect(limits("openai/gpt-5-mini")).toMatchObject({
    prompt: 272_000,
    output: 128_000,
    from: "catalogue",
    family: "o200k",
  });
  expect(limits("anthropic/claude-haiku-4-5-20251001")).toMatchObject({
    prompt: 200_000,
    from: "catalogue",
    images: { count: 100, pixels: 8000 },
  });
});
