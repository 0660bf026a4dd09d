import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_MAX_MESSAGE_BYTES, methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type Editor, openEditor, place, text } from "./support/acp-editor.ts";
import { isAlive } from "./support/is-alive.ts";
import { signalbox } from "./support/run-signalbox.ts";

/** The updates as short lines; the pieces of a text joined. */
function told(updates: Editor["updates"]): readonly string[] {
  const lines: string[] = [];
  for (const update of updates) {
    if (
      "content" in update &&
      update.content !== undefined &&
      !Array.isArray(update.content) &&
      update.content?.type === "text"
    ) {
      const kind = update.sessionUpdate.replace("_chunk", "");
      const last = lines.at(-1);
      if (last?.startsWith(`${kind}: `) === true) lines[lines.length - 1] = last + update.content.text;
      else lines.push(`${kind}: ${update.content.text}`);
    } else if (update.sessionUpdate === "tool_call") lines.push(`call ${update.kind ?? ""}: ${update.title}`);
    else if (update.sessionUpdate === "tool_call_update") {
      const diff = update.content?.find((content) => content.type === "diff");
      lines.push(
        `${update.status ?? ""}${diff === undefined ? "" : ` ${JSON.stringify([diff.oldText, diff.newText])}`}`,
      );
    }
  }
  return lines;
}

test("an editor sees words, calls and diffs, is asked before what the rules leave to a person, and can load the session later", async () => {
  const here = await place({
    turns: [
      {
        thinking: "Let me see.",
        text: "I write the file.",
        calls: [{ name: "write", input: { path: "a.txt", content: "one\n" } }],
      },
      { shell: "npm install left-pad --ignore-scripts --prefix nowhere" },
      { text: "Written, and nothing installed." },
      { text: "You asked for a file." },
    ],
  });
  const editor = await openEditor(here, () => "reject");
  const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: here.cwd, mcpServers: [] });
  const first = await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text("write a.txt") });

  expect(first).toEqual({ stopReason: "end_turn" });
  expect(readFileSync(join(here.cwd, "a.txt"), "utf8")).toBe("one\n");
  expect(
    editor.asked.map(({ toolCall, options }) => [toolCall.title, options.map(({ optionId }) => optionId)]),
  ).toEqual([
    ["bash npm install left-pad --ignore-scripts --prefix nowhere", expect.arrayContaining(["once", "reject"])],
  ]);
  const seen = told(editor.updates);
  expect(seen.slice(0, 4)).toEqual([
    "agent_thought: Let me see.",
    "agent_message: I write the file.",
    "call edit: write a.txt",
    'completed [null,"one\\n"]',
  ]);
  expect(seen.at(-1)).toBe("failed");
  expect(await editor.close()).toBe(0);

  // A rejection ended the turn; another process goes on from the log.
  const again = await openEditor(here);
  await again.agent.request(methods.agent.session.load, { sessionId, cwd: here.cwd, mcpServers: [] });
  expect(told(again.updates)).toEqual([
    "user_message: write a.txt",
    "agent_thought: Let me see.",
    "agent_message: I write the file.",
    "call edit: write a.txt",
    'completed [null,"one\\n"]',
    "call execute: bash npm install left-pad --ignore-scripts --prefix nowhere",
    "failed",
  ]);
  const second = await again.agent.request(methods.agent.session.prompt, { sessionId, prompt: text("then stop") });
  expect([second.stopReason, told(again.updates).at(-1)]).toEqual([
    "end_turn",
    "agent_message: Written, and nothing installed.",
  ]);
  const { sessions } = await again.agent.request(methods.agent.session.list, { cwd: here.cwd });
  expect(sessions).toEqual([expect.objectContaining({ sessionId, cwd: here.cwd, title: "write a.txt" })]);
  await again.close();
});

test("what is allowed for the session is asked once", async () => {
  const command = "git push origin nowhere";
  const here = await place({ turns: [{ shell: command }, { shell: command }, { text: "Pushed." }] });
  const editor = await openEditor(
    here,
    ({ options }) => options.find(({ kind }) => kind === "allow_always")?.optionId ?? "once",
  );
  const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: here.cwd, mcpServers: [] });
  await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text("push") });
  const offered = editor.asked.map(({ options }) => options.some(({ kind }) => kind === "allow_always"));
  expect(offered).toEqual([true]);
  await editor.close();
});

test("an editor is asked about the whole command, and what is too long to show is not remembered", async () => {
  const lines = `git push origin main # harmless\n${"x".repeat(200)}\ntouch unseen`;
  const endless = `git push origin ${"x".repeat(5000)}`;
  const here = await place({ turns: [{ shell: lines }, { shell: endless }, { text: "Well." }] });
  const editor = await openEditor(here, () => "once");
  const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: here.cwd, mcpServers: [] });
  await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text("push") });
  expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual([
    `bash ${lines.replaceAll("\n", " ⏎ ")}`,
    expect.stringMatching(/^bash git push origin x{3900,}…$/),
  ]);
  expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain(
    JSON.stringify(`\n  │ touch unseen`).slice(1, -1),
  );
  expect(editor.asked[1]?.options.map(({ optionId }) => optionId)).toEqual(["once", "reject"]);
  expect(JSON.stringify(editor.asked[1]?.toolCall.content)).toContain("1,016 more characters");
  await editor.close();
});

test("a cancel ends the command that runs, and the session goes on", async () => {
  const here = await place({ turns: [{ shell: "touch begun; sleep 600; touch ended" }, { text: "Stopped." }] });
  const editor = await openEditor(here);
  const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: here.cwd, mcpServers: [] });
  const prompt = editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text("sleep") });
  await expect.poll(() => existsSync(join(here.cwd, "begun")), { timeout: 20_000 }).toBe(true);
  const second = editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text("and?") });
  await editor.agent.notify(methods.agent.session.cancel, { sessionId });
  expect([await prompt, await second]).toEqual([{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
  const next = await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text("what now?") });
  expect([next.stopReason, told(editor.updates).at(-1), existsSync(join(here.cwd, "ended"))]).toEqual([
    "end_turn",
    "agent_message: Stopped.",
    false,
  ]);
  await editor.close();
});

test("a second prompt reaches the model with its next request", async () => {
  const here = await place({
    turns: [{ shell: "touch begun; until test -e finish; do sleep 0.1; done" }, { text: "Both done." }],
  });
  const editor = await openEditor(here);
  const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: here.cwd, mcpServers: [] });
  const ask = (words: string) => editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text(words) });
  const first = ask("work");
  await expect.poll(() => existsSync(join(here.cwd, "begun")), { timeout: 20_000 }).toBe(true);
  const second = ask("and this too");
  // Answered in order, so the second prompt has arrived by then.
  await editor.agent.request(methods.agent.session.list, {});
  writeFileSync(join(here.cwd, "finish"), "");
  expect([await first, await second]).toEqual([{ stopReason: "end_turn" }, { stopReason: "end_turn" }]);
  expect(here.server.requests.map(({ userTexts }) => userTexts)).toEqual([["work"], ["work", "and this too"]]);
  await editor.close();
});

test("an editor that closes the question has said no, and a cancel while it is open ends the turn", async () => {
  const here = await place({
    turns: [{ shell: "git push origin nowhere" }, { shell: "git push origin nowhere" }, { text: "Fine." }],
  });
  const answers = [undefined, new Promise<undefined>(() => undefined)];
  const editor = await openEditor(here, () => answers.shift());
  const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: here.cwd, mcpServers: [] });
  const ask = (words: string) => editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text(words) });
  expect([await ask("push"), editor.asked.length]).toEqual([{ stopReason: "end_turn" }, 1]);

  const second = ask("push again");
  await expect.poll(() => editor.asked.length, { timeout: 20_000 }).toBe(2);
  await editor.agent.notify(methods.agent.session.cancel, { sessionId });
  await editor.agent.notify(methods.agent.session.cancel, { sessionId: "nobody" });
  expect(await second).toEqual({ stopReason: "cancelled" });
  expect(await ask("then not")).toEqual({ stopReason: "end_turn" });
  await editor.close();
});

test("wrong requests are answered, and the agent goes on", async () => {
  const here = await place({ turns: [{ text: "ok", failures: [{ status: 401 }] }] });
  writeFileSync(join(here.cwd, "file"), "");
  const editor = await openEditor(here);
  const { agent } = editor;
  const { session } = methods.agent;
  const wrong = [
    agent.request(session.new, { cwd: "relative", mcpServers: [] }),
    agent.request(session.new, { cwd: join(here.cwd, "file"), mcpServers: [] }),
    agent.request(session.load, { sessionId: "../../etc/passwd", cwd: here.cwd, mcpServers: [] }),
    agent.request(session.prompt, { sessionId: "nobody", prompt: text("x") }),
  ];
  for (const request of wrong) await expect(request).rejects.toThrow();
  const { sessionId } = await agent.request(session.new, { cwd: here.cwd, mcpServers: [] });
  await expect(agent.request(session.prompt, { sessionId, prompt: [] })).rejects.toThrow("the prompt is empty");
  await expect(agent.request(session.prompt, { sessionId, prompt: text("hi") })).rejects.toThrow("HTTP 401");
  expect(await agent.request(session.prompt, { sessionId, prompt: text("again") })).toEqual({ stopReason: "end_turn" });
  expect(await editor.close()).toBe(0);
});

test("a message that is too large ends the connection, and is said", async () => {
  const { home, cwd, server } = await place({ turns: [{ text: "x" }] });
  const env = { HOME: home, SIGNALBOX_MODEL: "compatible/m", SIGNALBOX_BASE_URL: `${server.url}/v1` };
  const input = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":"${"a".repeat(DEFAULT_MAX_MESSAGE_BYTES)}"}}\n`;
  const { code, stdout, stderr } = await signalbox(["native", "--acp"], { cwd, env, input });
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining("a message that is too long")]);
});

test("an editor that goes away ends the command that runs, and the session can be loaded later", async () => {
  const here = await place({ turns: [{ shell: "echo $$ > pid.tmp; mv pid.tmp pid; sleep 600" }, { text: "ok" }] });
  const editor = await openEditor(here);
  const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: here.cwd, mcpServers: [] });
  const prompt = editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text("wait") });
  const gone = expect(prompt).rejects.toThrow();
  await expect.poll(() => existsSync(join(here.cwd, "pid")), { timeout: 20_000 }).toBe(true);
  expect(await editor.close()).toBe(0);
  await gone;
  expect(isAlive(Number(readFileSync(join(here.cwd, "pid"), "utf8")))).toBe(false);
  const again = await openEditor(here);
  await again.agent.request(methods.agent.session.load, { sessionId, cwd: here.cwd, mcpServers: [] });
  expect(told(again.updates).at(-1)).toBe("failed");
  const { sessions } = await again.agent.request(methods.agent.session.list, {});
  expect(sessions.map(({ sessionId: id }) => id)).toEqual([sessionId]);
  await again.close();
});

test("an editor sees the last lines of a running command, and what the model will do next", async () => {
  const here = await place({
    turns: [
      { calls: [{ name: "report_intent", input: { intent: "Run the tests" } }] },
      {
        shell:
          "echo first; echo; printf '\\033[31msecond\\033[0m\\r\\n'; until test -e finish; do sleep 0.1; done; echo last",
      },
      { text: "Done." },
    ],
  });
  const editor = await openEditor(here);
  const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: here.cwd, mcpServers: [] });
  const prompt = editor.agent.request(methods.agent.session.prompt, { sessionId, prompt: text("test") });
  const live = {
    sessionUpdate: "tool_call_update",
    toolCallId: expect.any(String),
    content: [{ type: "content", content: { type: "text", text: "```\nfirst\n\nsecond\n```" } }],
  };
  await expect.poll(() => editor.updates, { timeout: 20_000 }).toContainEqual(live);
  writeFileSync(join(here.cwd, "finish"), "");
  expect(await prompt).toEqual({ stopReason: "end_turn" });
  expect(told(editor.updates).filter((line) => line.startsWith("call "))).toEqual([
    "call think: next: Run the tests",
    expect.stringContaining("call execute: bash echo first"),
  ]);
  await editor.close();
});
