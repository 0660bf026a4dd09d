import { existsSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { openEditor, place, said, updatesOf } from "./support/acp-editor.ts";

const { session } = methods.agent;
const never = () => new Promise<never>(() => {});

const task = (prompt: string, mode: "sync" | "background" = "background") => ({
  id: `task-${prompt}`,
  name: "task",
  input: { description: prompt, prompt, agent_type: "general-purpose", mode },
});

const pushes = (name: string) => ({
  when: { contains: `push ${name}` },
  turns: [
    { calls: [{ id: "same", name: "bash", input: { command: `git push origin ${name}; touch ${name}` } }] },
    { text: `${name} is pushed.` },
  ],
});

test("two sub-agents that ask at once are asked for one after the other, by their names and with ids of their own", async () => {
  const here = await place({
    scenes: [
      pushes("one"),
      pushes("two"),
      { turns: [{ calls: [task("push one"), task("push two")] }, { text: "Started." }, { text: "Done." }] },
    ],
  });
  let [open, most] = [0, 0];
  const editor = await openEditor(here, async () => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 100));
    open--;
    return "once";
  });
  const { sessionId } = await editor.begin();
  expect(await editor.ask(sessionId, "go")).toEqual({ stopReason: "end_turn" });
  expect([most, ["one", "two"].filter((name) => existsSync(join(here.cwd, name)))]).toEqual([1, ["one", "two"]]);
  const shown = updatesOf(editor.updates, "tool_call").map(({ toolCallId }) => toolCallId);
  expect(new Set(shown).size).toBe(4);
  for (const { toolCall } of editor.asked) {
    const [agent = ""] = toolCall.toolCallId.split("/");
    expect(shown).toContain(toolCall.toolCallId);
    expect(JSON.stringify(toolCall.content)).toContain(`The sub-agent ${agent} asks: `);
  }
  await editor.close();
});

test("questions that nobody answers do not hold a cancel, nor the end of the connection", async () => {
  const here = await place({
    scenes: [
      pushes("one"),
      pushes("two"),
      { turns: [{ calls: [task("push one"), task("push two")] }, { text: "Started." }, { text: "Done." }] },
    ],
  });
  const editor = await openEditor(here, never);
  const { sessionId } = await editor.begin();
  const first = editor.ask(sessionId, "go");
  await expect.poll(() => editor.asked.length, { timeout: 20_000 }).toBe(1);
  await editor.agent.notify(session.cancel, { sessionId });
  expect(await first).toEqual({ stopReason: "cancelled" });
  expect(await editor.ask(sessionId, "and now?")).toEqual({ stopReason: "end_turn" });
  const again = await openEditor(here, never);
  const other = (await again.begin()).sessionId;
  const gone = expect(again.ask(other, "go")).rejects.toThrow();
  await expect.poll(() => again.asked.length, { timeout: 20_000 }).toBe(1);
  expect(await again.close()).toBe(0);
  await gone;
  expect([existsSync(join(here.cwd, "one")), existsSync(join(here.cwd, "two")), await editor.close()]).toEqual([
    false,
    false,
    0,
  ]);
});

test("a question of a sub-agent's model is a form that says who asks", async () => {
  const here = await place({
    scenes: [
      {
        when: { contains: "ask the user" },
        turns: [{ calls: [{ name: "ask_user", input: { question: "Which?" } }] }, { text: "Blue." }],
      },
      { turns: [{ calls: [task("ask the user", "sync")] }, { text: "Done." }] },
    ],
  });
  const asked: string[] = [];
  const editor = await openEditor(here, () => "once", {
    capabilities: { elicitation: { form: {} } },
    elicit({ message }) {
      asked.push(message);
      return { action: "accept", content: { answer: "blue" } };
    },
  });
  await editor.ask((await editor.begin()).sessionId, "go");
  expect([asked, said(editor.updates)]).toEqual([["(sub-agent general-purpose-1) Which?"], "Done."]);
  await editor.close();
});

test("an editor that goes away in a command of its own leaves a session that can be loaded", async () => {
  const hang = { failures: Array.from({ length: 5 }, () => ({ hang: true as const })), text: "never" };
  const here = await place({
    scenes: [
      { when: { contains: "Now write the summary." }, turns: [hang] },
      { turns: Array.from({ length: 4 }, () => ({ text: "Hello. ".repeat(9000) })) },
    ],
  });
  const editor = await openEditor(here);
  const { sessionId } = await editor.begin();
  for (const word of ["a", "b", "c", "d"]) await editor.ask(sessionId, word);
  const gone = expect(editor.ask(sessionId, "/compact")).rejects.toThrow();
  await expect.poll(() => here.server.requests.length, { timeout: 20_000 }).toBe(5);
  expect(await editor.close()).toBe(0);
  await gone;
  const again = await openEditor(here);
  await again.agent.request(session.load, { sessionId, cwd: here.cwd, mcpServers: [] });
  expect(said(again.updates)).toContain("Hello.");
  await again.close();
});
