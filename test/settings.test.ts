import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { scene } from "./support/native-scene.ts";

/** A scene whose model is chosen by files or keys alone. */
async function quietScene() {
  const { server, cwd, home, run } = await scene({ turns: [{ text: "Hello." }], after: { text: "Hello." } });
  const folder = join(home, ".signalbox");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(cwd, ".signalbox"));
  return {
    server,
    cwd,
    own: join(folder, "settings.yaml"),
    project: join(cwd, ".signalbox", "settings.yaml"),
    url: `${server.url}/v1`,
    run: (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
      run(args, { env: { SIGNALBOX_MODEL: "", SIGNALBOX_BASE_URL: "", ...env } }),
    asked: () => server.requests.map(({ model }) => model),
  };
}

const TASK = ["native", "-p", "hi"];

test("settings choose model, address, effort and limits; a flag wins over them", async () => {
  const { own, url, run, server, asked } = await quietScene();
  writeFileSync(own, `model: compatible/from-file\nbase_url: ${url}\neffort: low\nengine:\n  turns: 7\n`);
  const first = await run(TASK);
  expect([first.code, first.stdout]).toEqual([0, "Hello.\n"]);
  expect(first.stderr).toBe(
    "signalbox: compatible/from-file is not in the catalogue; effort low is passed on unchecked\n",
  );
  await run([...TASK, "--model", "compatible/from-flag", "--effort", "high"]);
  await run(TASK, { SIGNALBOX_MODEL: "compatible/from-variable", SIGNALBOX_EFFORT: "medium" });
  expect(asked()).toEqual(["from-file", "from-flag", "from-variable"]);
  const efforts = server.requests.map(
    ({ body }) => z.looseObject({ reasoning_effort: z.string() }).parse(body).reasoning_effort,
  );
  expect(efforts).toEqual(["low", "high", "medium"]);
});

test("settings of a project count only once they are trusted, and never say where keys go", async () => {
  const { own, project, url, run, asked } = await quietScene();
  writeFileSync(own, `model: compatible/own\nbase_url: ${url}\n`);
  writeFileSync(project, "model: compatible/project\n");
  const before = await run(TASK);
  expect(before.stderr).toBe(`signalbox: ignoring ${project}: it is not trusted; to review it: signalbox trust\n`);
  const shown = await run(["trust"]);
  expect([shown.code, shown.stdout]).toEqual([3, expect.stringContaining("+ model: compatible/project")]);
  expect((await run(["trust", "--yes"])).code).toBe(0);
  expect((await run(TASK)).stderr).toBe("");
  expect(asked()).toEqual(["own", "project"]);

  writeFileSync(project, "model: compatible/project\nbase_url: http://127.0.0.1:9/thief\n");
  expect((await run(TASK)).stderr).toContain("it changed since you trusted it");
  const refused = await run(["trust", "--yes"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("a project cannot set base_url")]);
  expect(asked()).toEqual(["own", "project", "own"]);
  expect((await run(["trust", "--revoke"])).stdout).toContain(`${project} is no longer trusted`);
});

test("a mistake in the user's settings stops before anything is asked, with file and line", async () => {
  const { own, run, server } = await quietScene();
  writeFileSync(own, "version: 1\nmodle: compatible/m\n");
  const { code, stderr } = await run(TASK);
  expect([code, stderr]).toEqual([
    2,
    `signalbox: unknown setting "modle"\n  where: ${own}:2\n  fix: did you mean model?\n`,
  ]);
  expect(server.requests).toEqual([]);
});

test("the only key decides on a model, and a line says so", async () => {
  const { run, server } = await quietScene();
  const { code, stdout, stderr } = await run(TASK, { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url });
  expect([code, stdout]).toEqual([0, "Hello.\n"]);
  expect(stderr).toMatch(
    /^signalbox: using anthropic\/\S+, because ANTHROPIC_API_KEY is set; to choose another: signalbox models --set provider\/model\n$/,
  );
  const several = await run(TASK, { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" });
  expect([several.code, several.stderr]).toEqual([
    2,
    expect.stringContaining("no model selected (a key is set for anthropic, openai)"),
  ]);
});

test("models --set keeps a choice, beside what the file says already", async () => {
  const { own, url, run, asked } = await quietScene();
  writeFileSync(own, "# mine\neffort: high # always\n");
  const set = await run(["models", "--set", "compatible/kept", "--base-url", url]);
  expect([set.code, set.stdout]).toEqual([0, `compatible/kept is used from now on (${own})\n`]);
  expect(readFileSync(own, "utf8")).toBe(`# mine\neffort: high # always\nmodel: compatible/kept\nbase_url: ${url}\n`);
  expect((await run(TASK)).code).toBe(0);
  expect(asked()).toEqual(["kept"]);
  expect((await run(["models"])).stdout).toContain(`Used here: compatible/kept (from ${own})`);

  const other = await run(["models", "--set", "anthropic/claude-haiku-4-5", "--json"]);
  expect(JSON.parse(other.stdout)).toEqual({ model: "anthropic/claude-haiku-4-5", path: own });
  expect(other.stderr).toContain("base_url was removed from the settings");
  expect(other.stderr).toContain("no key for anthropic is set yet: export ANTHROPIC_API_KEY=…");
  expect(readFileSync(own, "utf8")).toBe("# mine\neffort: high # always\nmodel: anthropic/claude-haiku-4-5\n");
});

test.each([
  [["models", "--set", "nobody/m"], "unknown provider"],
  [["models", "--set", "anthropic/"], "not a model name"],
  [["models", "--set", "compatible/m"], "compatible has no default address"],
  [["models", "--set", "anthropic/m", "--base-url", "ftp://x"], "must be http or https"],
  [["models", "anthropic/m", "--set", "anthropic/m"], "--set already names a model"],
])("%j changes nothing and says why", async (args, message) => {
  const { own, run } = await quietScene();
  writeFileSync(own, "effort: low\n");
  const { code, stderr } = await run(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readFileSync(own, "utf8")).toBe("effort: low\n");
});

test("--effort is refused where it means nothing", async () => {
  const { run, url, server } = await quietScene();
  const wrong = await run([...TASK, "--model", "compatible/m", "--base-url", url, "--effort", "extreme"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('unknown effort "extreme"')]);
  const dull = await run([...TASK, "--model", "openai/gpt-4.1", "--base-url", url, "--effort", "high"]);
  expect([dull.code, dull.stderr]).toEqual([2, expect.stringContaining("openai/gpt-4.1 does not think")]);
  const elsewhere = await run(["run", "mock", "task", "--effort", "high"]);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining("--effort is for native")]);
  expect(server.requests).toEqual([]);
});

test("run native takes an effort too", async () => {
  const { run, url, server } = await quietScene();
  const args = ["run", "native", "hi", "--model", "compatible/m", "--effort", "high"];
  expect((await run(args, { SIGNALBOX_BASE_URL: url })).code).toBe(0);
  expect(server.requests[0]?.body).toMatchObject({ reasoning_effort: "high" });
});

test("a server on this machine is asked for its window, and its silence holds nothing up", async () => {
  const asked: string[] = [];
  const answer = { id: "1", choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: "stop" }] };
  // It answers requests alone. The questions stay open until the program goes.
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method !== "POST") return;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const { run } = await quietScene();
  const base = `http://127.0.0.1:${address.port}/v1`;
  const outcome = await run([...TASK, "--model", "compatible/m", "--base-url", base]);
  expect(outcome).toEqual({ code: 0, stdout: "Hello.\n", stderr: "" });
  expect(asked.toSorted()).toEqual(["GET /props", "GET /v1/models", "POST /v1/chat/completions"]);
});
