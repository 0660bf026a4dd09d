import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { historyProblems } from "../../../test/support/history-problems.ts";
import { call, calls, rehearsed, says, sessionParts, tool } from "../../../test/support/scripted-session.ts";
import { isForSummary, smallWindow } from "../../../test/support/small-window.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { Model } from "../../models/model.ts";
import { logPath, newSessionId, sessionsFolder } from "../log/log-folder.ts";
import { readLog } from "../log/read-log.ts";
import { replay } from "../log/replay.ts";
import { createSession, openSession, type Session } from "../log/session-log.ts";
import { type Conversation, converse } from "../session/conversation.ts";
import { planRedoTurns, planUndoTurns } from "./plan-turns.ts";
import { openSessionUndo, openTurnLog } from "./session-undo.ts";

/** A session in a workspace of its own, with a tool that writes a file, as `native` puts it together. */
function open(home: string, workspace: string, { model, resume }: { model: Model; resume?: string }) {
  const at = { folder: sessionsFolder(home), now: Date.now };
  const opened: Session =
    resume === undefined
      ? createSession({ id: newSessionId(Date.now()), cwd: workspace, model: "rehearsed/model" }, at)
      : openSession(resume, at);
  const undo = openSessionUndo(opened, { home, workspace, warn: () => {} });
  const write = tool("write", ({ text }) => {
    writeFileSync(join(workspace, "a.txt"), String(text));
    return {
      text: "written",
      failed: false,
      deeds: [{ kind: "write", path: "a.txt", before: null, after: String(text) }],
    };
  });
  const parts = sessionParts(model, { tools: [write], processors: [undo.tell, undo.beforeChange] });
  const conversation = converse(undo.session, { ...parts, onRest: undo.rested });
  return { undo, conversation, id: opened.id };
}

async function ask(conversation: Conversation, text: string): Promise<void> {
  conversation.add(text);
  for await (const _ of conversation.run(new AbortController().signal));
}

const recordsOf = (home: string, id: string) =>
  readLog(logPath(sessionsFolder(home), id)).records.map(({ record }) => record);

const placeOf = (home: string, { conversation, id }: ReturnType<typeof open>) => ({
  home,
  id,
  records: recordsOf(home, id),
  record: (record: Parameters<Conversation["rewind"]>[0]) => conversation.rewind(record),
});

const writes = (n: number, text: string) => calls(call(`c${n}`, "write", { text }));
const SCRIPT = [writes(1, "one"), says("One."), writes(2, "two"), says("Two."), says("Three."), says("Four.")];

test("files and conversation go back together, undo and redo twice, and the log says the same as the memory", async () => {
  const [home, workspace] = [tempFolder(), tempFolder()];
  const scene = open(home, workspace, { model: rehearsed(...SCRIPT).model });
  const { conversation, undo } = scene;
  const file = () => readFileSync(join(workspace, "a.txt"), "utf8");
  await ask(conversation, "first");
  const one = [...conversation.history];
  await ask(conversation, "second");
  await ask(conversation, "third");
  const three = [...conversation.history];
  await undo.settled();
  const step = async (plan: typeof planRedoTurns) => {
    const report = await (await plan(placeOf(home, scene))).carryOut();
    expect([report.kept, report.failed]).toEqual([[], []]);
    expect(replay(recordsOf(home, scene.id)).history).toEqual(conversation.history);
    expect([historyProblems(conversation.history), conversation.unfinished]).toEqual([[], false]);
  };
  const back = (to?: number) => (place: Parameters<typeof planUndoTurns>[0]) => planUndoTurns(place, to, false);
  await step(back());
  expect([conversation.history.at(-1), file()]).toEqual([says("Two."), "two"]);
  await step(back());
  expect([conversation.history, file()]).toEqual([one, "one"]);
  await step(planRedoTurns);
  expect(file()).toBe("two");
  await step(planRedoTurns);
  expect([conversation.history, file()]).toEqual([three, "two"]);
  await expect(planRedoTurns(placeOf(home, scene))).rejects.toThrow("there is nothing to redo");
  await step(back(2));
  expect([conversation.history, file()]).toEqual([one, "one"]);
  await ask(conversation, "instead");
  const [prompt, note] = conversation.history.slice(one.length);
  expect([prompt, note]).toEqual([
    { role: "user", text: "instead", source: "person" },
    {
      role: "user",
      source: "state",
      text: 'The user has taken back what you did after this point. These files are again as they were before it: "a.txt". Read a file again before you rely on what is in it.',
    },
  ]);
  await expect(planRedoTurns(placeOf(home, scene))).rejects.toThrow("there was new work since");
  await undo[Symbol.asyncDispose]();
  undo.session[Symbol.dispose]();
});

test("killed at any byte of an undo, a session is as it was or as it became, and the undo can be done again", async () => {
  const [home, workspace] = [tempFolder(), tempFolder()];
  const scene = open(home, workspace, { model: rehearsed(...SCRIPT).model });
  await ask(scene.conversation, "first");
  const one = [...scene.conversation.history];
  await ask(scene.conversation, "second");
  const two = [...scene.conversation.history];
  await scene.undo.settled();
  const log = logPath(sessionsFolder(home), scene.id);
  const start = readFileSync(log).length;
  await (await planUndoTurns(placeOf(home, scene), undefined, false)).carryOut();
  await scene.undo[Symbol.asyncDispose]();
  scene.undo.session[Symbol.dispose]();
  const whole = readFileSync(log);
  const copy = join(tempFolder(), "log");
  copyFileSync(log, copy);
  for (let length = start; length <= whole.length; length += 7) {
    copyFileSync(copy, log);
    truncateSync(log, length);
    const records = recordsOf(home, scene.id);
    const { turns, note } = openTurnLog(records);
    expect([one.length, two.length]).toContain(replay(records).history.length);
    expect(turns.length).toBe(replay(records).history.length === one.length ? 1 : 2);
    expect(note === undefined).toBe(records.every(({ type }) => type !== "undo"));
  }
  truncateSync(log, start);
  writeFileSync(join(workspace, "a.txt"), "two");
  const again = open(home, workspace, { model: rehearsed().model, resume: scene.id });
  await (await planUndoTurns(placeOf(home, again), undefined, false)).carryOut();
  expect([again.conversation.history, readFileSync(join(workspace, "a.txt"), "utf8")]).toEqual([one, "one"]);
  await again.undo[Symbol.asyncDispose]();
  again.undo.session[Symbol.dispose]();
});

test("a conversation goes back to before a compaction, and forth again", async () => {
  const [home, workspace] = [tempFolder(), tempFolder()];
  const { model, asked } = smallWindow({
    window: 100_000,
    answer: (_, n) => says(`Answer ${n}. ${"word ".repeat(200)}`),
    summary: () => "Title\nShort.",
  });
  const scene = open(home, workspace, { model });
  const { conversation } = scene;
  await ask(conversation, "first");
  await ask(conversation, "second");
  const before = [...conversation.history];
  await ask(conversation, "third");
  for await (const _ of conversation.compact(new AbortController().signal));
  const after = [...conversation.history];
  expect(after).not.toEqual([...before, ...after.slice(before.length)]);
  await (await planUndoTurns(placeOf(home, scene), undefined, false)).carryOut();
  expect(conversation.history).toEqual(before);
  await (await planRedoTurns(placeOf(home, scene))).carryOut();
  expect([conversation.history, replay(recordsOf(home, scene.id)).history]).toEqual([after, after]);
  expect(asked.every((request) => !isForSummary(request))).toBe(true);
  await scene.undo[Symbol.asyncDispose]();
  scene.undo.session[Symbol.dispose]();
});

test("what an interrupted undo had changed comes back, if more turns are taken back instead", async () => {
  const [home, workspace] = [tempFolder(), tempFolder()];
  const scene = open(home, workspace, { model: rehearsed(...SCRIPT).model });
  await ask(scene.conversation, "first");
  await ask(scene.conversation, "second");
  await scene.undo.settled();
  const file = join(workspace, "a.txt");
  const place = placeOf(home, scene);
  const killed = await planUndoTurns(
    {
      ...place,
      record(record) {
        if (record.step === "done") throw new Error("killed");
        place.record(record);
      },
    },
    undefined,
    false,
  );
  await expect(killed.carryOut()).rejects.toThrow("killed");
  expect(readFileSync(file, "utf8")).toBe("one");
  await (await planUndoTurns(placeOf(home, scene), 1, false)).carryOut();
  expect(existsSync(file)).toBe(false);
  await (await planRedoTurns(placeOf(home, scene))).carryOut();
  expect(readFileSync(file, "utf8")).toBe("two");
  await scene.undo[Symbol.asyncDispose]();
  scene.undo.session[Symbol.dispose]();
});
