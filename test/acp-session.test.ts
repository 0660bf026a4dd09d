import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { openEditor, place, said, text, updatesOf } from "./support/acp-editor.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempRepository } from "./support/temp-folder.ts";

const { session } = methods.agent;

test("an editor chooses mode, model and effort, and hears of what a command has changed", async () => {
  const write = { calls: [{ name: "write", input: { path: "a.txt", content: "one\n" } }] };
  const here = await place({ turns: [write, { text: "A plan." }, { text: "Thought." }] });
  const editor = await openEditor(here, () => "once", { env: { OPENAI_API_KEY: "k" } });
  const { sessionId, modes, configOptions } = await editor.begin();
  expect(modes).toMatchObject({
    currentModeId: "ask",
    availableModes: [{ id: "ask" }, { id: "plan" }, { id: "auto" }],
  });
  expect(configOptions?.map(({ id, category, currentValue }) => [id, category, currentValue])).toEqual([
    ["mode", "mode", "ask"],
    ["model", "model", "anthropic/claude-sonnet-4-5"],
    ["effort", "thought_level", "default"],
  ]);
  expect(JSON.stringify(configOptions)).toContain("openai/");
  const set = (configId: string, value: string) =>
    editor.agent.request(session.setConfigOption, { sessionId, configId, value });
  const values = async (chosen: ReturnType<typeof set>) =>
    (await chosen).configOptions.map(({ currentValue }) => currentValue);

  expect(await values(set("mode", "plan"))).toEqual(["plan", "anthropic/claude-sonnet-4-5", "default"]);
  await editor.ask(sessionId, "write it");
  const [denied] = updatesOf(editor.updates, "tool_call_update");
  expect([denied?.status, JSON.stringify(denied?.content)]).toEqual(["failed", expect.stringContaining("Plan mode")]);
  expect(await editor.agent.request(session.setMode, { sessionId, modeId: "ask" })).toEqual({});

  expect(await values(set("effort", "high"))).toEqual(["ask", "anthropic/claude-sonnet-4-5", "high"]);
  await editor.ask(sessionId, "think");
  expect(JSON.stringify(here.server.requests.at(-1)?.body)).toContain("budget_tokens");
  for (const [id, value] of [
    ["mode", "yolo"],
    ["effort", "huge"],
    ["model", "no/where"],
    ["colour", "red"],
  ] as const)
    await expect(set(id, value)).rejects.toThrow(/has no value|no option/);
  expect(await values(set("model", "openai/gpt-5.5"))).toEqual(["ask", "openai/gpt-5.5", "high"]);
  expect(await values(set("effort", "default"))).toEqual(["ask", "openai/gpt-5.5", "default"]);
  expect(updatesOf(editor.updates, "config_option_update")).toEqual([]);

  await editor.ask(sessionId, "/effort low");
  await editor.ask(sessionId, "/plan");
  const told = updatesOf(editor.updates, "config_option_update");
  expect(told.map(({ configOptions: options }) => options.map(({ currentValue }) => currentValue))).toEqual([
    ["ask", "openai/gpt-5.5", "low"],
    ["plan", "openai/gpt-5.5", "low"],
  ]);
  expect(updatesOf(editor.updates, "current_mode_update").map(({ currentModeId }) => currentModeId)).toEqual(["plan"]);
  expect(await editor.close()).toBe(0);
});

test("another model answers from the next request on, and the log says so", async () => {
  const here = await place({ turns: [{ text: "One." }, { text: "Two." }, { text: "Three." }] });
  const env = { ANTHROPIC_API_KEY: "k" };
  const editor = await openEditor(here, () => "once", { env });
  const { sessionId } = await editor.begin();
  await editor.ask(sessionId, "first");
  const chosen = { sessionId, configId: "model", value: "anthropic/claude-opus-4-5" };
  await editor.agent.request(session.setConfigOption, chosen);
  await editor.agent.request(session.setConfigOption, { sessionId, configId: "effort", value: "medium" });
  await editor.ask(sessionId, "second");
  await editor.close();
  const again = await openEditor(here, () => "once", { env, flags: ["--base-url", here.server.url] });
  const { configOptions } = await again.agent.request(session.resume, { sessionId, cwd: here.cwd });
  expect(configOptions?.map(({ currentValue }) => currentValue)).toEqual([
    "ask",
    "anthropic/claude-opus-4-5",
    "medium",
  ]);
  await again.ask(sessionId, "third");
  expect(here.server.requests.map(({ model }) => model)).toEqual([
    "claude-sonnet-4-5",
    "claude-opus-4-5",
    "claude-opus-4-5",
  ]);
  await again.close();
});

test("commands are offered and carried out without the model, also those from files", async () => {
  const here = await place({ turns: [{ text: "Reviewed." }, { text: "A slash." }] });
  mkdirSync(join(here.home, ".signalbox/commands"), { recursive: true });
  writeFileSync(
    join(here.home, ".signalbox/commands/review.md"),
    "---\ndescription: Look at it\n---\nReview $ARGUMENTS\n",
  );
  const editor = await openEditor(here);
  const { sessionId } = await editor.begin();
  await expect.poll(() => updatesOf(editor.updates, "available_commands_update").length).toBe(1);
  const [offered] = updatesOf(editor.updates, "available_commands_update");
  const names = offered?.availableCommands.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["help", "context", "compact", "effort", "plan", "review"]));
  expect(names).not.toContain("quit");

  const answerTo = async (words: string) => {
    editor.updates.splice(0);
    expect(await editor.ask(sessionId, words)).toEqual({ stopReason: "end_turn" });
    return said(editor.updates);
  };
  expect(await answerTo("/help")).toContain("`/review` Look at it");
  expect(await answerTo("/id")).toBe(`${sessionId}\n`);
  expect(await answerTo("/context")).toMatch(/^about [\d,]+ of 200,000 tokens/);
  expect(await answerTo("/compact")).toBe("there is nothing to shorten\n");
  expect(await answerTo("/effort")).toBe("effort: the provider's default\n");
  expect(await answerTo("/nonsense please")).toContain("unknown command /nonsense");
  expect(here.server.requests).toEqual([]);
  expect(await answerTo("/review src")).toBe("Reviewed.");
  expect(await answerTo("//help")).toBe("A slash.");
  expect(here.server.requests.map(({ userTexts }) => userTexts.at(-1))).toEqual(["Review src", "/help"]);
  await editor.close();
});

test("an editor sees the plan, the title, how full the window is and what it cost", async () => {
  const items = [
    { id: "a", title: "Read", state: "done" },
    { id: "b", title: "Write", state: "in_progress" },
    { id: "c", title: "Ask", state: "blocked" },
    { id: "d", title: "Nothing", state: "dropped" },
  ];
  const here = await place({
    turns: [{ calls: [{ name: "todo", input: { items } }], usage: { input: 1000, output: 10 } }, { text: "Ok." }],
  });
  const editor = await openEditor(here);
  const { sessionId } = await editor.begin();
  await editor.ask(sessionId, "plan it\nand more");
  const plan = [
    { content: "Read", priority: "medium", status: "completed" },
    { content: "Write", priority: "medium", status: "in_progress" },
    { content: "Ask (blocked)", priority: "medium", status: "pending" },
  ];
  expect(updatesOf(editor.updates, "plan").map(({ entries }) => entries)).toEqual([plan]);
  const [first, second] = updatesOf(editor.updates, "usage_update");
  expect(first).toMatchObject({
    used: 1010,
    size: 200_000,
    cost: { amount: expect.closeTo(0.00315), currency: "USD" },
  });
  expect(second?.cost?.amount).toBeGreaterThan(first?.cost?.amount ?? 0);
  const [titled, ended] = updatesOf(editor.updates, "session_info_update");
  expect([titled?.title, Date.parse(ended?.updatedAt ?? "")]).toEqual(["plan it", expect.any(Number)]);
  await editor.close();

  const again = await openEditor(here);
  await again.agent.request(session.load, { sessionId, cwd: here.cwd, mcpServers: [] });
  expect(updatesOf(again.updates, "plan").map(({ entries }) => entries)).toEqual([plan]);
  expect(updatesOf(again.updates, "usage_update").at(-1)?.cost?.amount).toBe(second?.cost?.amount);
  await again.close();
});

test("a loaded session shows images and diffs again, a resumed one shows nothing, and a deleted one is gone", async () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const here = await place({
    turns: [
      { calls: [{ name: "read", input: { path: "dot.png" } }] },
      { calls: [{ name: "write", input: { path: "a.txt", content: "one\ntwo\n" } }] },
      { calls: [{ name: "edit", input: { path: "a.txt", edits: [{ old_string: "two", new_string: "2" }] } }] },
      { text: "Done." },
    ],
  });
  writeFileSync(join(here.cwd, "dot.png"), png);
  const editor = await openEditor(here);
  const { sessionId } = await editor.begin();
  const image = { type: "image", mimeType: "image/png", data: png.toString("base64") } as const;
  await editor.agent.request(session.prompt, { sessionId, prompt: [...text("look"), image] });

  const again = await openEditor(here);
  const opened = { sessionId, cwd: here.cwd, mcpServers: [] };
  await expect(again.agent.request(session.load, opened)).rejects.toThrow("open in");
  await editor.close();
  await again.agent.request(session.load, opened);
  const shown = updatesOf(again.updates, "user_message_chunk").map(({ content }) => content);
  expect(shown).toEqual([{ type: "text", text: "look" }, image]);
  const results = updatesOf(again.updates, "tool_call_update").map(({ content }) => content);
  expect(results[0]).toContainEqual({ type: "content", content: image });
  const path = join(here.cwd, "a.txt");
  expect(results[1]).toContainEqual({ type: "diff", path, oldText: null, newText: "one\ntwo\n" });
  expect(results[2]).toContainEqual({ type: "diff", path, oldText: "two", newText: "2" });
  // Two at once wait for each other, and the last one stays.
  await Promise.all([again.agent.request(session.load, opened), again.agent.request(session.load, opened)]);

  again.updates.splice(0);
  await again.agent.request(session.resume, { sessionId, cwd: here.cwd });
  expect([...new Set(again.updates.map(({ sessionUpdate }) => sessionUpdate))]).toEqual([
    "available_commands_update",
    "usage_update",
  ]);
  await again.agent.request(session.delete, { sessionId });
  await again.agent.request(session.delete, { sessionId });
  await expect(again.ask(sessionId, "hello?")).rejects.toThrow("not found");
  expect(await again.agent.request(session.list, {})).toEqual({ sessions: [] });
  await expect(again.agent.request(session.load, opened)).rejects.toThrow("not found");
  await again.close();
});

test("the acceptance check is said in the session", async () => {
  const write = (content: string) => ({ calls: [{ name: "write", input: { path: "a.txt", content } }] });
  const here = await place({ turns: [{ text: "Done!" }, write("ok\n"), { text: "Now." }] });
  const flags = ["--model", "anthropic/m", "--base-url", here.server.url, "--accept", "test -e a.txt"];
  const editor = await openEditor(here, () => "once", { flags });
  const { sessionId } = await editor.begin();
  expect(await editor.ask(sessionId, "make a.txt")).toEqual({ stopReason: "end_turn" });
  expect(said(editor.updates)).toMatch(/Done!.*> not finished \(acceptance\).*Now\..*> acceptance: passed/s);
  await editor.close();
});

test("a question of the model is a form in the editor, if the editor has forms", async () => {
  const ask = (input: object) => ({ calls: [{ name: "ask_user", input: { ...input } }] });
  const here = await place({
    turns: [
      ask({ question: "Which?", choices: ["red", "blue"] }),
      ask({ question: "Why?" }),
      ask({ question: "Sure?" }),
      { text: "Thanks.", expect: { contains: ["person answered: blue", "person answered: because", "declined"] } },
    ],
  });
  const answers = [
    { action: "accept", content: { choice: "blue", answer: "" } } as const,
    { action: "accept", content: { answer: " because " } } as const,
    { action: "decline" } as const,
  ];
  const asked: unknown[] = [];
  const editor = await openEditor(here, () => "once", {
    capabilities: { elicitation: { form: {} } },
    elicit(request) {
      asked.push("requestedSchema" in request ? [request.message, request.requestedSchema] : request);
      return answers.shift() ?? { action: "cancel" };
    },
  });
  const { sessionId } = await editor.begin();
  expect(await editor.ask(sessionId, "ask me")).toEqual({ stopReason: "end_turn" });
  expect([said(editor.updates), asked.length]).toEqual(["Thanks.", 3]);
  expect(JSON.stringify(asked[0])).toContain('"oneOf":[{"const":"red","title":"red"},{"const":"blue","title":"blue"}]');
  await editor.close();
  expect(here.server.requests[0]?.toolNames).toContain("ask_user");

  const other = await place({ turns: [{ text: "Hello." }] });
  const plain = await openEditor(other);
  await plain.ask((await plain.begin()).sessionId, "hi");
  expect(other.server.requests[0]?.toolNames).not.toContain("ask_user");
  await plain.close();
});

test("without a model or a key the agent starts, and says what is missing", async () => {
  const here = await place({ turns: [{ text: "Hello." }] });
  const editor = await openEditor(here, () => "once", { flags: [] });
  expect(editor.hello.authMethods?.map(({ id }) => id)).toEqual(["environment"]);
  await expect(editor.begin()).rejects.toMatchObject({ code: -32000, message: expect.stringContaining("no model") });
  const signIn = (methodId: string) => editor.agent.request(methods.agent.authenticate, { methodId });
  await expect(signIn("environment")).rejects.toMatchObject({ code: -32000 });
  await expect(signIn("magic")).rejects.toThrow("no method");
  // The user repairs it while the agent runs.
  writeFileSync(join(here.home, ".signalbox/settings.yaml"), "version: 1\nmodel: openai/gpt-5.5\n", { mode: 0o600 });
  await expect(editor.begin()).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining("OPENAI_API_KEY"),
  });
  await editor.close();
});

test("settings are those of the session's folder, and not of where the agent was started", async () => {
  const here = await place({ turns: [{ text: "Hello." }] });
  const env = { HOME: here.home };
  const settings = async (folder: string, model: string) => {
    mkdirSync(join(folder, ".signalbox"), { recursive: true });
    writeFileSync(join(folder, ".signalbox/settings.yaml"), `version: 1\nmodel: ${model}\n`, { mode: 0o600 });
    expect((await signalbox(["trust", "--yes"], { cwd: folder, env })).code).toBe(0);
  };
  const elsewhere = tempRepository();
  await settings(here.cwd, "anthropic/claude-haiku-4-5");
  await settings(elsewhere, "anthropic/claude-opus-4-5");
  const editor = await openEditor(here, () => "once", { cwd: elsewhere, flags: ["--base-url", here.server.url] });
  const models = [await editor.begin(), await editor.begin(elsewhere)].map(
    ({ configOptions }) => configOptions?.[1]?.currentValue,
  );
  expect(models).toEqual(["anthropic/claude-haiku-4-5", "anthropic/claude-opus-4-5"]);
  await editor.close();
});
