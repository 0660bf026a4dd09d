import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { openEditor, place, said } from "./support/acp-editor.ts";
import { signalbox } from "./support/run-signalbox.ts";

const { session } = methods.agent;
const never = () => new Promise<never>(() => {});
const READS = { fs: { readTextFile: true, writeTextFile: true } };

test.each(["a question of the guard", "a question of the model", "a file"])(
  "an editor that closes the pipe while it is asked for %s leaves a session that can be resumed",
  async (what) => {
    const calls = {
      "a question of the guard": { name: "bash", input: { command: "git push origin nowhere; touch ran" } },
      "a question of the model": { name: "ask_user", input: { question: "Which?" } },
      "a file": { name: "read", input: { path: "a.txt" } },
    }[what];
    const here = await place({ turns: [{ calls: calls === undefined ? [] : [calls] }, { text: "Fine." }] });
    writeFileSync(join(here.cwd, "a.txt"), "a\n");
    let asked = 0;
    const ask = () => {
      asked++;
      return never();
    };
    const editor = await openEditor(here, ask, {
      capabilities: { ...READS, elicitation: { form: {} } },
      read: ask,
      elicit: ask,
    });
    const { sessionId } = await editor.begin();
    const gone = expect(editor.ask(sessionId, "go")).rejects.toThrow();
    await expect.poll(() => asked, { timeout: 20_000 }).toBe(1);
    expect(await editor.close()).toBe(0);
    await gone;
    const again = await openEditor(here);
    await again.agent.request(session.resume, { sessionId, cwd: here.cwd });
    expect([await again.ask(sessionId, "and?"), said(again.updates), existsSync(join(here.cwd, "ran"))]).toEqual([
      { stopReason: "end_turn" },
      "Fine.",
      false,
    ]);
    await again.close();
  },
);

test("a cancel while a form is open ends the turn", async () => {
  const here = await place({
    turns: [{ calls: [{ name: "ask_user", input: { question: "Which?" } }] }, { text: "Ok." }],
  });
  let asked = 0;
  const elicit = () => {
    asked++;
    return never();
  };
  const editor = await openEditor(here, () => "once", { capabilities: { elicitation: { form: {} } }, elicit });
  const { sessionId } = await editor.begin();
  const first = editor.ask(sessionId, "ask");
  await expect.poll(() => asked, { timeout: 20_000 }).toBe(1);
  await editor.agent.notify(session.cancel, { sessionId });
  expect([await first, await editor.ask(sessionId, "go on")]).toEqual([
    { stopReason: "cancelled" },
    { stopReason: "end_turn" },
  ]);
  await editor.close();
});

test("rubbish is answered with errors, and the agent goes on", async () => {
  const { home, cwd, server } = await place({ turns: [{ text: "x" }] });
  const env = { HOME: home, SIGNALBOX_MODEL: "compatible/m", SIGNALBOX_BASE_URL: `${server.url}/v1` };
  const call = (id: number, method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const lines = [
    "not json",
    "[]",
    "null",
    '{"jsonrpc":"2.0","id":{},"method":7}',
    '{"jsonrpc":"2.0","id":90,"result":{}}',
    call(1, "session/new", { cwd: 7, mcpServers: "none" }),
    call(2, "session/new", null),
    call(3, "no/such/method", {}),
    call(4, "session/prompt", { sessionId: "../../etc/passwd", prompt: [{ type: "text", text: "x" }] }),
    call(5, "session/load", { sessionId: "last", cwd, mcpServers: [] }),
    call(6, "session/set_config_option", { sessionId: "x", configId: "__proto__", value: "y" }),
    call(7, "session/delete", { sessionId: "../policy" }),
    call(8, "initialize", { protocolVersion: 1, clientCapabilities: {} }),
  ];
  const { code, stdout } = await signalbox(["native", "--acp"], { cwd, env, input: `${lines.join("\n")}\n` });
  const answers = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const byId = (id: number) => answers.find((answer) => answer.id === id);
  expect(code).toBe(0);
  for (const id of [1, 2, 3, 4, 5, 6, 7]) expect(byId(id)?.error?.code, `request ${id}`).toBeLessThan(0);
  expect(byId(8)?.result?.protocolVersion).toBe(1);
  expect(existsSync(join(home, ".signalbox/policy.yaml"))).toBe(true);
});

test("a damaged session is refused with its reason and can be deleted, and a running one is ended by that", async () => {
  const here = await place({ turns: [{ text: "Hello." }, { shell: "touch begun; sleep 600" }] });
  const editor = await openEditor(here);
  const { sessionId } = await editor.begin();
  await editor.ask(sessionId, "hi");
  await editor.agent.request(session.close, { sessionId });
  const log = join(here.home, ".signalbox/sessions", `${sessionId}.jsonl`);
  const whole = readFileSync(log, "utf8");
  writeFileSync(log, whole.replace("Hello.", "Hullo."));
  const opened = { sessionId, cwd: here.cwd, mcpServers: [] };
  await expect(editor.agent.request(session.load, opened)).rejects.toThrow(/changed|damage|checksum/);
  writeFileSync(log, whole);
  appendFileSync(log, '{"torn');
  await editor.agent.request(session.load, opened);
  const running = editor.ask(sessionId, "run");
  await expect.poll(() => existsSync(join(here.cwd, "begun")), { timeout: 20_000 }).toBe(true);
  await editor.agent.request(session.delete, { sessionId });
  expect([await running, existsSync(log)]).toEqual([{ stopReason: "cancelled" }, false]);
  await editor.close();
});

test("two sessions work at once, each in its own folder and mode", async () => {
  const wait = "touch begun; until test -e finish; do sleep 0.05; done";
  const here = await place({
    scenes: [
      { when: { contains: "first" }, turns: [{ shell: wait }, { text: "One." }] },
      { when: { contains: "second" }, turns: [{ text: "Two." }] },
    ],
  });
  const editor = await openEditor(here);
  const [one, two] = [(await editor.begin()).sessionId, (await editor.begin()).sessionId];
  await editor.agent.request(session.setMode, { sessionId: two, modeId: "plan" });
  const first = editor.ask(one, "first");
  await expect.poll(() => existsSync(join(here.cwd, "begun")), { timeout: 20_000 }).toBe(true);
  expect(await editor.ask(two, "second")).toEqual({ stopReason: "end_turn" });
  writeFileSync(join(here.cwd, "finish"), "");
  expect([await first, said(editor.updates)]).toEqual([{ stopReason: "end_turn" }, "Two.One."]);
  await editor.close();
});

test("an answer of 100 MB ends the connection, and what ran is ended", async () => {
  const here = await place({ turns: [{ calls: [{ name: "read", input: { path: "a.txt" } }] }, { text: "x" }] });
  writeFileSync(join(here.cwd, "a.txt"), "a\n");
  const editor = await openEditor(here, () => "once", {
    capabilities: READS,
    read: () => ({ content: "x".repeat(100 * 1024 * 1024) }),
  });
  const exited = new Promise((resolve) => editor.child.on("close", resolve));
  await expect(editor.ask((await editor.begin()).sessionId, "read it")).rejects.toThrow();
  expect(await exited).toBe(1);
});
