import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentScene, hangs, neverAsked, play, starts, taskOf, toldIn } from "../../../test/support/agent-scene.ts";
import { call, calls, says } from "../../../test/support/scripted-session.ts";
import type { AssistantMessage } from "../../contract/message.ts";
import { listAgents } from "../log/list-sessions.ts";
import { logPath, sessionsPlace } from "../log/log-folder.ts";
import { readLog } from "../log/read-log.ts";
import { replay } from "../log/replay.ts";

const intent = (id: string) => calls(call(id, "report_intent", { intent: "look" }));

/** Answers once so many agents ask at the same time. */
function together(count: number): () => Promise<AssistantMessage> {
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  return async () => {
    if (++waiting === count) all.resolve();
    await all.promise;
    return says("here");
  };
}

test("sub-agents that only look, and those in the background, work at the same time; others one after the other", async () => {
  const wait = together(4);
  const open: string[] = [];
  let most = 0;
  const alone = async ({ history: [task] }: { history: readonly unknown[] }) => {
    open.push(JSON.stringify(task));
    most = Math.max(most, open.length);
    await new Promise((resolve) => setImmediate(resolve));
    open.pop();
    return says("alone");
  };
  const { open: session } = agentScene({
    main: [
      starts(
        ["explore", "look 1"],
        ["explore", "look 2"],
        ["code-review", "look 3"],
        ["general-purpose", "look 4", { mode: "background" }],
      ),
      starts(["general-purpose", "work 1"], ["general-purpose", "work 2"]),
    ],
    look: [wait],
    work: [alone],
  });
  const { outcome } = await play(await session({ prompt: "main" }));
  expect([outcome.reason, most]).toEqual(["answered", 1]);
});

test("limits of turns hold for the whole tree, also after a resume", async () => {
  const busy = Array.from({ length: 20 }, (_, n) => intent(`i${n}`));
  const { open, requests } = agentScene(
    { main: [starts(["general-purpose", "busy"])], busy },
    { limits: { turns: 5 } },
  );
  const first = await open({ prompt: "main" });
  const { outcome } = await play(first);
  expect([outcome.reason, outcome.because, requests.length]).toEqual(["limit", "5 turns used up", 5]);
  await first[Symbol.asyncDispose]();
  const again = await open({ resume: first.conversation.id, prompt: "more" });
  expect([(await play(again)).outcome.reason, requests.length]).toEqual(["limit", 5]);
});

test("a limit of cost holds for the whole tree, and what sub-agents cost is in the outcome and the log", async () => {
  const busy = Array.from({ length: 20 }, (_, n) => intent(`i${n}`));
  const { model, requests } = agentScene({ main: [starts(["general-purpose", "busy"])], busy });
  const { open, home } = agentScene({}, { limits: { cost: 1 }, model: { ...model, cost: () => 0.25 } });
  const session = await open({ prompt: "main" });
  const { outcome } = await play(session);
  expect([outcome.reason, outcome.because, outcome.cost]).toEqual(["limit", "the session cost $1.00", 1]);
  expect(requests).toHaveLength(4);
  const records = readLog(logPath(sessionsPlace(home), session.conversation.id)).records.map(({ record }) => record);
  expect(replay(records)).toMatchObject({ cost: 1, work: { metrics: { turns: 4 } } });
});

test("a time limit ends sub-agents that hang, sync and in the background", async () => {
  for (const mode of ["sync", "background"]) {
    const { open, home } = agentScene(
      { main: [starts(["explore", "hang", { mode }])], hang: [hangs] },
      { limits: { ms: 1000 } },
    );
    const session = await open({ prompt: "main" });
    const { outcome } = await play(session);
    expect([outcome.reason, outcome.because]).toEqual(["limit", "the time is over"]);
    expect(listAgents(sessionsPlace(home), session.conversation.id)).toMatchObject([
      { id: "explore-1", state: "limit" },
    ]);
  }
});

test("an interruption reaches every sub-agent, and none outlives its session", async () => {
  const stop = new AbortController();
  let deep = 0;
  const { open, home, requests } = agentScene({
    main: [starts(["general-purpose", "middle", { mode: "background" }], ["explore", "hang"])],
    middle: [starts(["explore", "hang", { mode: "background" }]), hangs],
    hang: [
      (request, signal) => {
        if (++deep === 2) setImmediate(() => stop.abort());
        return hangs(request, signal);
      },
    ],
  });
  const session = await open({ prompt: "main" });
  const { outcome } = await play(session, stop.signal);
  expect(outcome.reason).toBe("aborted");
  const states = listAgents(sessionsPlace(home), session.conversation.id).map(({ state }) => state);
  expect(states).toEqual(["aborted", "aborted", "aborted"]);
  const asked = requests.length;
  session.conversation.add("what happened?");
  await play(session);
  expect(requests).toHaveLength(asked + 1);
  expect(toldIn(requests.at(-1) ?? neverAsked())).toContain(
    "The sub-agent general-purpose-1 (work on middle) has failed",
  );
});

test("sub-agents may be nested three deep, and the fourth is refused in words", async () => {
  const { open, requests } = agentScene({
    zero: [starts(["general-purpose", "one"])],
    one: [starts(["general-purpose", "two"])],
    two: [starts(["general-purpose", "three"])],
    three: [starts(["general-purpose", "four"])],
  });
  const { outcome, events } = await play(await open({ prompt: "zero" }));
  expect(outcome.reason).toBe("answered");
  expect(requests.map(taskOf)).toEqual(["zero", "one", "two", "three", "three", "two", "one", "zero"]);
  expect(toldIn(requests[4] ?? neverAsked())).toBe(
    "no sub-agent was started: sub-agents may be nested 3 deep; do this yourself",
  );
  expect(events.filter(({ type }) => type === "child").length).toBeGreaterThan(0);
});

test("a person is asked one question at a time, and by whom, however many sub-agents ask", async () => {
  const asks = (id: string) => calls(call(id, "ask_user", { question: "Which colour?" }));
  let open = 0;
  const questions: string[] = [];
  const scene = agentScene({
    main: [
      starts(["general-purpose", "red", { mode: "background" }], ["general-purpose", "blue", { mode: "background" }]),
    ],
    red: [asks("a")],
    blue: [asks("a")],
  });
  const session = await scene.open({
    prompt: "main",
    askUser: async ({ question }) => {
      questions.push(`${question} ${++open}`);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return "green";
    },
  });
  expect((await play(session)).outcome.reason).toBe("answered");
  expect(questions.toSorted()).toEqual([
    "(sub-agent general-purpose-1) Which colour? 1",
    "(sub-agent general-purpose-2) Which colour? 1",
  ]);
});

test("what a sub-agent wrote counts as work of the session, and a file it changed must be read again", async () => {
  const { open, cwd, home, requests } = agentScene({
    main: [
      calls(call("r", "read", { path: "a.txt" })),
      starts(["general-purpose", "write it"]),
      calls(call("w", "write", { path: "a.txt", content: "mine" })),
    ],
    write: [
      calls(call("r", "read", { path: "a.txt" })),
      calls(call("w", "write", { path: "a.txt", content: "theirs" })),
    ],
  });
  writeFileSync(join(cwd, "a.txt"), "first");
  const session = await open({ prompt: "main" });
  await play(session);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("theirs");
  expect(toldIn(requests.at(-1) ?? neverAsked())).toContain("has changed since it was read");
  const records = readLog(logPath(sessionsPlace(home), session.conversation.id)).records.map(({ record }) => record);
  expect([...replay(records).work.metrics.written]).toEqual([join(cwd, "a.txt")]);
});

test("at most eight run in the background, and a huge answer is bounded", async () => {
  const go = Promise.withResolvers<void>();
  const { open, requests } = agentScene({
    main: [
      starts(...Array.from({ length: 9 }, () => ["explore", "huge", { mode: "background" }] as const)),
      async () => {
        go.resolve();
        return says("started");
      },
    ],
    huge: [
      async () => {
        await go.promise;
        return says("x".repeat(1_000_000));
      },
    ],
  });
  await play(await open({ prompt: "main" }));
  const told = toldIn(requests.at(-1) ?? neverAsked());
  expect(told.match(/8 sub-agents already run in the background/g)).toHaveLength(1);
  expect(told.match(/960000 more characters; the whole text is in/g)).toHaveLength(8);
  expect(told.length).toBeLessThan(400_000);
});
