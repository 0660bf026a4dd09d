import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { filesPath, logPath, newSessionId } from "../log/log-folder.ts";
import { readLog } from "../log/read-log.ts";
import { createSession, forkSession, openSession } from "../log/session-log.ts";
import { converse, type TalkingAgent } from "./conversation.ts";

const place = () => ({ folder: tempFolder(), now: Date.now });
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
