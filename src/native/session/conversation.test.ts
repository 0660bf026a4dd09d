import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { historyProblems } from "../../../test/support/history-problems.ts";
import {
  call,
  calls,
  fails,
  priced,
  rehearsed,
  says,
  sessionParts,
  tool,
} from "../../../test/support/scripted-session.ts";
import { smallWindow } from "../../../test/support/small-window.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { AssistantMessage } from "../../contract/message.ts";
import type { Model } from "../../models/model.ts";
import { filesPath, logPath, newSessionId, sessionsFolder } from "../log/log-folder.ts";
import { readLog } from "../log/read-log.ts";
import { createSession, forkSession, openSession } from "../log/session-log.ts";
import { converse, type TalkingAgent } from "./conversation.ts";

const LINES: readonly AssistantMessage[] = [
  calls({ type: "text", text: "First I look." }, call("c1", "look"), call("c2", "look")),
  calls(call("c3", "work"), call("c4", "work")),
  says("One done."),
  calls(call("c5", "work")),
  says("All done."),
];

/** Answers with the line that matches the number of answers in the history. Like a real model, it is stateless. */
function forgetful(): Model {
  return {
    ...rehearsed().model,
    async *ask({ history }) {
      const answers = history.filter(({ role }) => role === "assistant").length;
      yield { type: "answer", message: LINES[answers] ?? says("Nothing is left."), usage: undefined };
    },
  };
}

function place() {
  let time = Date.UTC(2026, 10, 15);
  return { folder: sessionsFolder(tempFolder()), now: () => (time += 1000) };
}

/** Tools that report which calls really ran. */
const toolsTelling = (ran: (callId: string) => void) =>
  ["look", "work"].map((name) =>
    tool(name, (_, { callId }) => {
      ran(callId);
      return { text: `did ${callId}`, failed: false };
    }),
  );

async function drained(conversation: ReturnType<typeof converse>) {
  const run = conversation.run(new AbortController().signal);
  for (let next = await run.next(); ; next = await run.next()) if (next.done === true) return next.value;
}

test("killed at any of 200 random bytes, a session goes on from there, and nothing that had finished is done again", async () => {
  const at = place();
  const id = newSessionId(at.now());
  const path = logPath(at.folder, id);
  /** For each call, the length of the log when it ran. */
  const whenRan = new Map<string, number>();
  {
    using session = createSession({ id, cwd: "/", model: "rehearsed/model" }, at);
    const tools = toolsTelling((callId) => whenRan.set(callId, readFileSync(path).length));
    const conversation = converse(session, sessionParts(forgetful(), { tools }));
    conversation.add("do the first thing");
    await drained(conversation);
    conversation.add("and the second");
    await drained(conversation);
  }
  const whole = readFileSync(path, "utf8");
  copyFileSync(path, `${path}.whole`);
  const headerEnd = whole.indexOf("\n") + 1;
  const endOf = (callId: string) => {
    const line = whole.indexOf("\n", whole.indexOf(`"call-end","result":{"callId":"${callId}"`));
    return line + 1;
  };

  for (let round = 0; round < 200; round++) {
    const length = headerEnd + Math.floor((((round * 7919) % 1000) / 1000) * (whole.length - headerEnd));
    copyFileSync(`${path}.whole`, path);
    truncateSync(path, length);
    const runs = new Map([...whenRan].flatMap(([callId, size]) => (size <= length ? [[callId, 1]] : [])));
    using session = openSession(id, at);
    const tools = toolsTelling((callId) => runs.set(callId, (runs.get(callId) ?? 0) + 1));
    const conversation = converse(session, sessionParts(forgetful(), { tools }));
    if (!whole.slice(0, length).includes('"and the second"')) conversation.add("and the second");
    const outcome = conversation.unfinished ? await drained(conversation) : undefined;

    expect({ length, problems: historyProblems(conversation.history) }).toEqual({ length, problems: [] });
    expect(outcome?.reason ?? "answered").toBe("answered");
    expect(conversation.history.at(-1)).toMatchObject({ role: "assistant", stop: "end" });
    // A call whose end is logged ran once. A call that was lost is reported to the model and not run again.
    for (const [callId, count] of runs) expect({ length, callId, count }).toEqual({ length, callId, count: 1 });
    for (const callId of whenRan.keys()) if (endOf(callId) <= length) expect(runs.get(callId)).toBe(1);
  }
});

test("queued prompts survive, in their order", async () => {
  const at = place();
  const id = newSessionId(at.now());
  {
    using session = createSession({ id, cwd: "/", model: "rehearsed/model" }, at);
    const conversation = converse(session, sessionParts(forgetful()));
    conversation.add("one");
    conversation.add("two");
  }
  using session = openSession(id, at);
  const conversation = converse(session, sessionParts(rehearsed(says("both")).model));
  expect(conversation.unfinished).toBe(true);
  await drained(conversation);
  expect(conversation.history.map((message) => (message.role === "user" ? message.text : message.role))).toEqual([
    "one",
    "two",
    "assistant",
  ]);
  expect(conversation.unfinished).toBe(false);
});

test("error hooks hear of a failure of the system, and of a failed call beside a hook that breaks", async () => {
  const at = place();
  const errors: unknown[] = [];
  const errorOccurred = [
    async () => {
      throw new Error("hook broke");
    },
    async (event: unknown) => void errors.push(event),
  ];
  const failing = tool("work", () => ({ text: "no", failed: true }));
  const gate = {
    name: "broken",
    exitCode: 9,
    check: async () => {
      throw new TypeError("the disk is gone");
    },
  };
  using session = createSession({ id: newSessionId(at.now()), cwd: "/", model: "rehearsed/model" }, at);
  const { model, requests } = rehearsed(calls(call("c1", "work")), says("done"));
  const parts = sessionParts(model, { tools: [failing], gates: [gate], hooks: { errorOccurred } });
  const conversation = converse(session, parts);
  conversation.add("go");
  await expect(drained(conversation)).rejects.toThrow("the disk is gone");
  expect(errors).toEqual([
    { error: { name: "ToolError", message: "no" }, errorContext: "tool_execution", recoverable: true },
    { error: { name: "TypeError", message: "the disk is gone" }, errorContext: "system", recoverable: false },
  ]);
  expect(requests[1]?.history.at(-1)).toMatchObject({
    results: [{ text: "no\n\n[an errorOccurred hook failed: hook broke]" }],
  });
});

test.each([{ isResumed: false }, { isResumed: true }])(
  "ids of calls are unique in the whole session, though shortened conversations no longer show them (%j)",
  async ({ isResumed }) => {
    const at = place();
    const ids: string[] = [];
    const look = tool("look", (_, { callId }) => {
      ids.push(callId);
      return { text: `did ${callId} ${"word ".repeat(500)}`, failed: false };
    });
    // It uses one id for everything.
    const looks = calls(call("x", "look"));
    const { model } = smallWindow({
      window: 8_000,
      answer: (_, n) => (n % 2 === 0 ? looks : says("word ".repeat(2_500))),
      summary: () => "Title\nLooked once.",
    });
    const parts = sessionParts(model, { tools: [look] });
    const id = newSessionId(at.now());
    let session = createSession({ id, cwd: "/", model: "rehearsed/model" }, at);
    onTestFinished(() => session[Symbol.dispose]());
    let conversation = converse(session, parts);
    conversation.add("look");
    await drained(conversation);
    for await (const _ of conversation.compact(new AbortController().signal));
    expect(JSON.stringify(conversation.history)).not.toContain("did x");
    if (isResumed) {
      session[Symbol.dispose]();
      session = openSession(id, at);
      conversation = converse(session, parts);
    }
    conversation.add("look again");
    await drained(conversation);
    expect(ids).toEqual(["x", "x_2"]);
  },
);

const picture = { mediaType: "image/png", base64: Buffer.alloc(9_000, 7).toString("base64") };
const look = tool("look", () => ({ text: "a picture", failed: false, images: [picture] }));

/** A new session in which the model has answered one prompt. */
async function worked(at: ReturnType<typeof place>, parts: TalkingAgent) {
  const id = newSessionId(at.now());
  using session = createSession({ id, cwd: "/", model: "rehearsed/model" }, at);
  const outcome = await prompted(session, parts);
  return { id, outcome, path: logPath(at.folder, id) };
}

async function prompted(session: Parameters<typeof converse>[0], parts: TalkingAgent) {
  const conversation = converse(session, parts);
  conversation.add("go");
  for await (const _ of conversation.run(new AbortController().signal));
  return conversation.outcome;
}

test("an image is stored once beside the log, however often it appears, and comes back whole", async () => {
  const at = place();
  const lines = [calls(call("c1", "look")), calls(call("c2", "look")), says("seen")];
  const { id, path } = await worked(at, sessionParts(rehearsed(...lines).model, { tools: [look] }));
  expect(statSync(path).size).toBeLessThan(4_000);
  expect(readdirSync(join(filesPath(at.folder, id), "images"))).toHaveLength(1);
  const results = readLog(path).records.flatMap(({ record }) => (record.type === "call-end" ? [record.result] : []));
  expect(results.map(({ images }) => images)).toEqual([[picture], [picture]]);
  // A copy has its own, so that removing the first does no harm.
  using copy = forkSession(id, { ...at, cwd: "/" });
  rmSync(filesPath(at.folder, id), { recursive: true });
  expect(JSON.stringify(readLog(logPath(at.folder, copy.id)).records)).toContain(picture.base64);
});

test.each([
  ["was removed", (file: string) => rmSync(file)],
  ["was changed", (file: string) => writeFileSync(file, "something else")],
])("an image that %s is told, and the session goes on", async (_, harm) => {
  const at = place();
  const { id } = await worked(
    at,
    sessionParts(rehearsed(calls(call("c1", "look")), says("seen")).model, { tools: [look] }),
  );
  const folder = join(filesPath(at.folder, id), "images");
  for (const name of readdirSync(folder)) harm(join(folder, name));
  using session = openSession(id, at);
  const { model, requests } = rehearsed(says("fine"));
  expect(await prompted(session, sessionParts(model))).toMatchObject({ reason: "answered" });
  expect(requests[0]?.history[2]).toEqual({
    role: "tool",
    results: [
      {
        callId: "c1",
        name: "look",
        text: "a picture\n[image lost: its file is missing or was changed]",
        failed: false,
      },
    ],
  });
});

test("a call's deeds are logged without their texts", async () => {
  const at = place();
  const write = tool("write", () => ({
    text: "ok",
    failed: false,
    deeds: [
      { kind: "write", path: "/a", before: "old", after: "a secret" },
      { kind: "command", command: "echo secret", exitCode: 0 },
    ],
  }));
  const { path } = await worked(at, sessionParts(rehearsed(calls(call("c1", "write"))).model, { tools: [write] }));
  expect(readFileSync(path, "utf8")).toContain(
    '"deeds":[{"kind":"write","path":"/a","before":3,"after":8},{"kind":"command","exitCode":0}]',
  );
  expect(readFileSync(path, "utf8")).not.toContain("secret");
});

test("a shortened history is logged as what is kept and what is new", async () => {
  const at = place();
  const lines = [calls(call("c1", "look")), fails("too-large"), says("seen")];
  const { path } = await worked(at, sessionParts(rehearsed(...lines).model, { tools: [look] }));
  const [replaced] = readLog(path).records.flatMap(({ record }) => (record.type === "history" ? [record] : []));
  expect(replaced?.pieces).toMatchObject([{ keep: [0, 2] }, { add: { role: "tool" } }]);
});

test("a log of version 1 is continued, with the history that the program of that time had", async () => {
  const at = place();
  const id = "20261115-120000-0123abcd";
  copyFileSync("test/fixtures/sessions/version-1.jsonl", logPath(at.folder, id));
  using session = openSession(id, at);
  const { model, requests } = rehearsed(says("fine"));
  expect(await prompted(session, sessionParts(model))).toMatchObject({ reason: "answered", text: "fine" });
  const [history = []] = requests.map((request) => request.history);
  expect(history.map(({ role }) => role).join(" ")).toBe(
    "user assistant tool assistant tool assistant user assistant tool assistant user",
  );
  expect(history[2]).toMatchObject({ results: [{ text: "a picture\n[image removed: the request was too large]" }] });
  expect(history[8]).toMatchObject({ results: [{ images: [{ base64: "iVBORw0KGgo=" }] }] });
  expect(readLog(logPath(at.folder, id)).damage).toBeUndefined();
});

/** Answers with a call each time, at 20 cents a request. */
function dear() {
  const { model, requests } = rehearsed(...Array.from({ length: 20 }, (_, n) => calls(call(`c${n}`, "note"))));
  return { model: priced(model, 0.2), requests };
}

const note = tool("note", () => ({ text: "noted", failed: false }));

test.each([
  ["cost", { cost: 0.5 }, 3, "the session cost $0.600"],
  ["turns", { turns: 4 }, 4, "4 turns used up"],
])("a limit of %s holds for the session: what was used before it was resumed counts", async (_, limits, most, why) => {
  const at = place();
  const first = dear();
  const { id, outcome } = await worked(at, { ...sessionParts(first.model, { tools: [note] }), limits });
  expect([first.requests.length, outcome?.because]).toEqual([most, why]);
  const second = dear();
  using session = openSession(id, at);
  const again = await prompted(session, { ...sessionParts(second.model, { tools: [note] }), limits });
  expect([second.requests.length, again]).toMatchObject([0, { reason: "limit", because: why }]);
});

test("the time limit ends a call that runs, and the outcome is a limit", async () => {
  const at = place();
  const slow = tool(
    "note",
    (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ text: "stopped", failed: true }));
      }),
  );
  const clock = { now: () => performance.now(), random: () => 0.5, pause: async () => {} };
  const parts = { ...sessionParts(dear().model, { tools: [slow] }), clock };
  const { outcome } = await worked(at, { ...parts, limits: { deadline: performance.now() + 50 } });
  expect(outcome).toMatchObject({ reason: "limit", because: "the time is over" });
});

test("a session that is only opened again stays at rest, whatever its start has logged", async () => {
  const at = place();
  const { id } = await worked(at, sessionParts(rehearsed(says("fine")).model));
  {
    using session = openSession(id, at);
    session.append({ type: "context", loaded: [], notLoaded: [] });
  }
  using session = openSession(id, at);
  expect(converse(session, sessionParts(rehearsed().model)).unfinished).toBe(false);
});

test("a prompt that waits can be taken back, also from the log; one that the model has cannot", async () => {
  const at = place();
  const id = newSessionId(at.now());
  {
    using session = createSession({ id, cwd: "/", model: "rehearsed/model" }, at);
    const conversation = converse(session, sessionParts(forgetful(), { tools: toolsTelling(() => {}) }));
    const first = conversation.add("first");
    const second = conversation.add("second");
    const taken = [conversation.withdraw(second), conversation.withdraw(second)];
    expect([...taken, conversation.queued]).toEqual([true, false, 1]);
    await drained(conversation);
    expect(conversation.withdraw(first)).toBe(false);
    conversation.add("third");
  }
  using again = openSession(id, at);
  const conversation = converse(again, sessionParts(forgetful(), { tools: toolsTelling(() => {}) }));
  expect(conversation.queued).toBe(1);
});
