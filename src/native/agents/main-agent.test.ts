import { expect, test } from "vitest";
import { agentScene, checkOf, play, starts, taskOf } from "../../../test/support/agent-scene.ts";
import { call, calls, says } from "../../../test/support/scripted-session.ts";
import type { ModelRequest } from "../../models/model.ts";

const done = (summary: string) => calls(call("d", "task_complete", { summary }));
const isOffered = ({ tools }: ModelRequest) => tools.some(({ name }) => name === "task_complete");

test("a sub-agent has neither task_complete nor reminders; the agent that started it has both", async () => {
  const parts = {
    PARENT: [starts(["explore", "CHILD"]), says("It is there."), done("It is there.")],
    CHILD: [says("found")],
  };
  const { open, requests } = agentScene(parts, { mode: "auto" });
  const { outcome } = await play(await open({ prompt: "PARENT" }));
  expect(outcome).toMatchObject({ reason: "answered", text: "It is there." });
  const seen = requests.map((request) => [
    taskOf(request),
    isOffered(request),
    /Autopilot/.test(JSON.stringify(request)),
  ]);
  expect(seen).toEqual([
    ["PARENT", true, true],
    ["CHILD", false, false],
    ["PARENT", true, true],
    ["PARENT", true, true],
  ]);
});

test("a list of allowed tools need not name it; where it is denied, every stop is an end", async () => {
  const allowed = agentScene({ "": [done("ok")] }, { mode: "auto", filters: [{ allow: ["read"] }] });
  expect((await play(await allowed.open({ prompt: "go" }))).outcome).toMatchObject({ reason: "answered", text: "ok" });
  expect(allowed.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([["read", "task_complete"]]);
  const denied = agentScene({ "": [says("ok")] }, { mode: "auto", filters: [{ deny: ["task_*"] }] });
  expect((await play(await denied.open({ prompt: "go" }))).outcome).toMatchObject({ reason: "answered", text: "ok" });
  expect([denied.requests.length, denied.requests.some(isOffered)]).toEqual([1, false]);
});

test("a change of mode holds from the next request on", async () => {
  const { open, requests } = agentScene({
    "": [calls(call("a", "glob", { pattern: "*" })), says("Here."), done("Here.")],
  });
  const session = await open({ prompt: "go" });
  const run = session.conversation.run(AbortSignal.timeout(60_000));
  for (let next = await run.next(); next.done !== true; next = await run.next())
    if (next.value.type === "tool-end") session.mode.set("auto");
  expect(requests.map(isOffered)).toEqual([false, true, true]);
});

test("in plan mode nobody asks for results", async () => {
  const todo = calls(call("t", "todo", { items: [{ id: "one", title: "Fix it" }] }));
  const { open } = agentScene({ "": [todo, says("Done.")] }, { mode: "plan", check: checkOf("exit 1") });
  const { outcome, events } = await play(await open({ prompt: "fix the bug in a.txt" }));
  expect([outcome.reason, events.filter(({ type }) => type.startsWith("gate"))]).toEqual(["answered", []]);
});

test("the effort gate looks at the last prompt, and at what was done for it", async () => {
  const write = calls(call("w", "write", { path: "a.txt", content: "x\n" }));
  const { open } = agentScene({ "": [write, says("Written."), says("I fixed a.txt before."), says("I added b.txt.")] });
  const session = await open();
  const asked = async (prompt: string) => {
    session.conversation.add(prompt);
    const { events } = await play(session);
    return events.flatMap((event) => (event.type === "gate-blocked" ? [event.gate] : []));
  };
  expect(await asked("create the file a.txt")).toEqual([]);
  expect(await asked("what did you do?")).toEqual([]);
  expect(await asked("create the file b.txt")).toEqual(["effort", "effort", "effort"]);
});
