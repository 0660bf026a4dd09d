import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { AnswerPart, UserMessage } from "../../contract/message.ts";
import type { SessionRecord } from "../../contract/session-record.ts";
import { findSession, logPath, newSessionId, sessionsFolder } from "./log-folder.ts";
import { damageError, NO_SUM, readLog } from "./read-log.ts";
import { createSession, forkSession, openSession, type Session } from "./session-log.ts";
import { listSessions } from "./list-sessions.ts";
import { replay } from "./replay.ts";

const START = Date.UTC(2026, 10, 15, 10, 0, 0);
const says = (text: string): UserMessage => ({ role: "user", text, source: "person" });
const call = (id: string): AnswerPart => ({ type: "call", id, name: "bash", input: { command: "ls" } });
const result = (callId: string) => ({ callId, name: "bash", text: `ran ${callId}`, failed: false });

/** A conversation with two calls, the second unfinished, and one waiting prompt. */
const RECORDS: readonly SessionRecord[] = [
  { type: "queued", promptId: "p1", message: says("list the files, 日本 \u2028 \ud800"), first: false },
  { type: "message", message: says("list the files"), promptId: "p1" },
  { type: "usage", usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 }, cost: 0.5 },
  { type: "message", message: { role: "assistant", parts: [call("c1"), call("c2"), call("c3")], stop: "calls" } },
  { type: "call-start", callId: "c1" },
  { type: "call-end", result: result("c1") },
  { type: "call-start", callId: "c2" },
  { type: "queued", promptId: "p2", message: says("then count them"), first: false },
];

function place() {
  let time = START;
  return { folder: sessionsFolder(tempFolder()), now: () => (time += 1000) };
}

function written(at: ReturnType<typeof place>, records: readonly SessionRecord[] = RECORDS): string {
  const id = newSessionId(at.now());
  using session = createSession({ id, cwd: "/work", model: "a/b" }, at);
  for (const record of records) session.append(record);
  return id;
}

test("what was written is read again, and only its owner can read it", () => {
  const at = place();
  const id = written(at);
  using session = openSession(id, at);
  expect(session.before.slice(1)).toEqual(RECORDS.map((record): unknown => JSON.parse(JSON.stringify(record))));
  expect(statSync(logPath(at.folder, id)).mode & 0o777).toBe(0o600);
  expect(statSync(at.folder).mode & 0o777).toBe(0o700);
});

test("a call that ended keeps its result, one that began is said to be lost, one that did not is said not to have run", () => {
  const { history, queued, usage, cost, rested } = replay(RECORDS);
  expect(history.slice(0, 1)).toEqual([says("list the files")]);
  expect(history[2]).toEqual({
    role: "tool",
    results: [
      result("c1"),
      { callId: "c2", name: "bash", text: expect.stringContaining("It may have taken effect"), failed: true },
      { callId: "c3", name: "bash", text: expect.stringContaining("It did not run"), failed: true },
    ],
  });
  expect(queued).toEqual([{ id: "p2", message: says("then count them") }]);
  expect({ usage, cost, rested }).toEqual({
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
    cost: 0.5,
    rested: undefined,
  });
});

test("a log that is cut at any byte is read up to its last whole record, and can be gone on with", () => {
  const at = place();
  const id = written(at);
  const bytes = readFileSync(logPath(at.folder, id));
  const whole = readLog(logPath(at.folder, id)).records;
  let most = 0;
  for (let length = 0; length <= bytes.length; length++) {
    writeFileSync(logPath(at.folder, id), bytes.subarray(0, length));
    const log = readLog(logPath(at.folder, id));
    expect(log.damage).toBeUndefined();
    expect(log.records).toEqual(whole.slice(0, log.records.length));
    expect(log.torn).toBe(length !== log.bytes);
    expect(log.records.length).toBeGreaterThanOrEqual(most);
    most = log.records.length;
    if (log.header === undefined || length % 7 !== 0) continue;
    reopen(id, at, (session) => session.append({ type: "rest", reason: "answered", because: "" }));
    expect(readLog(logPath(at.folder, id))).toMatchObject({ torn: false, records: { length: most + 1 } });
  }
  expect(most).toBe(RECORDS.length + 1);
});

function reopen(id: string, at: ReturnType<typeof place>, use: (session: Session) => void): void {
  using session = openSession(id, at);
  use(session);
}

test("a log in which any byte was changed is not gone on with, and the part before can be forked", () => {
  const at = place();
  const id = written(at);
  const path = logPath(at.folder, id);
  const bytes = readFileSync(path);
  for (let index = 0; index < bytes.length; index += 13) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    writeFileSync(path, changed);
    expect(() => openSession(id, at)).toThrow(/cannot be continued|this session cannot be continued/);
    expect(readFileSync(path).equals(changed)).toBe(true);
  }
  const text = bytes.toString().replace("ran c1", "ran xx");
  writeFileSync(path, text);
  expect(() => openSession(id, at)).toThrow("in line 7, its checksum is wrong");
  using fork = forkSession(id, { ...at, cwd: "/elsewhere" });
  expect(fork.before).toEqual(
    readLog(path)
      .records.slice(1)
      .map(({ record }) => record),
  );
  expect(readLog(logPath(at.folder, fork.id)).header).toMatchObject({ cwd: "/elsewhere", parent: { id, records: 6 } });
});

test("a line that was removed is noticed", () => {
  const at = place();
  const id = written(at);
  const lines = readFileSync(logPath(at.folder, id), "utf8").split("\n");
  writeFileSync(logPath(at.folder, id), lines.toSpliced(3, 1).join("\n"));
  expect(() => openSession(id, at)).toThrow("in line 4");
});

/** A line as another version of signalbox would write it, with a correct checksum. */
function foreignLine(body: object): string {
  const text = JSON.stringify(body);
  const sum = createHash("sha256").update(`${NO_SUM}${text}`).digest("hex").slice(0, 32);
  return `${text.slice(0, -1)},"sum":"${sum}"}\n`;
}

test.each([
  [
    { at: 1, type: "session", version: 3, id: "x", cwd: "/", model: "m" },
    "it was written by a newer signalbox (format 3)",
  ],
  [{ at: 1, type: "hologram" }, "a newer signalbox wrote it"],
])("a log of a newer version is refused, and left as it is", (body, because) => {
  const at = place();
  const id = newSessionId(START);
  const line = foreignLine(body);
  writeFileSync(logPath(at.folder, id), line);
  expect(() => openSession(id, at)).toThrow(because);
  expect(readFileSync(logPath(at.folder, id), "utf8")).toBe(line);
  expect(listSessions(at.folder).map(({ state }) => state)).toEqual(["newer"]);
});

test.each(["", "\n", "{}\n", "not a log\n", "\u0000\u0001\n", '{"type":"session"}\n'])(
  "%j is no session",
  (content) => {
    const at = place();
    const id = newSessionId(START);
    writeFileSync(logPath(at.folder, id), content);
    expect(() => openSession(id, at)).toThrow("this session cannot be continued");
  },
);

test("a session that is open cannot be opened again until it is closed", () => {
  const at = place();
  const id = written(at);
  const first = openSession(id, at);
  expect(() => openSession(id, at)).toThrow("this session is open in another process");
  first[Symbol.dispose]();
  reopen(id, at, (session) => expect(session.id).toBe(id));
});

test("a session that was closed takes no more records", () => {
  const at = place();
  const session = openSession(written(at), at);
  session[Symbol.dispose]();
  expect(() => session.append({ type: "rest", reason: "answered", because: "" })).toThrow("the session is closed");
});

test("a link in place of a log is not written through", () => {
  const at = place();
  const id = written(at);
  const link = newSessionId(START + 5000);
  symlinkSync(logPath(at.folder, id), logPath(at.folder, link));
  expect(() => openSession(link, at)).toThrow("ELOOP");
});

test("the list follows the logs, and an index that is broken is made anew", () => {
  const at = place();
  const one = written(at);
  const two = written(at, [...RECORDS, { type: "rest", reason: "answered", because: "" }]);
  const states = () =>
    Object.fromEntries(listSessions(at.folder).map(({ id, state, title }) => [id, `${state}; ${title}`]));
  expect(states()).toEqual({ [one]: "interrupted; list the files", [two]: "rested: answered; list the files" });
  appendFileSync(logPath(at.folder, two), "junk\n");
  expect(states()).toEqual({ [one]: "interrupted; list the files", [two]: "damaged; list the files" });
  writeFileSync(logPath(at.folder, two), "");
  expect(states()).toEqual({ [one]: "interrupted; list the files", [two]: "empty; " });
  writeFileSync(join(at.folder, "index.db"), "this is no database, whatever its name says. ".repeat(100));
  expect(Object.keys(states()).toSorted()).toEqual([one, two].toSorted());
});

test("a session in which nothing was asked leaves nothing behind; one with a prompt stays", () => {
  const at = place();
  createSession({ id: newSessionId(1), cwd: "/work", model: "a/b" }, at)[Symbol.dispose]();
  expect(readdirSync(at.folder)).toEqual([]);
  const id = written(at);
  // Opened once more without a word, it is still what it was.
  openSession(id, at)[Symbol.dispose]();
  expect(readdirSync(at.folder)).toContain(`${id}.jsonl`);
});

test("a session is found by its id, a part of it, or as the last", () => {
  const at = place();
  const one = written(at);
  const two = written(at);
  const find = (wanted: string, cwd = "/work") => findSession(at.folder, wanted, cwd);
  expect([find(one), find(two.slice(-8)), find("last")]).toEqual([one, two, [one, two].toSorted().at(-1)]);
  expect(() => find("2026")).toThrow("2 sessions match");
  expect(() => find("../../etc/passwd")).toThrow("no session matches");
  expect(() => find("")).toThrow();
  expect(() => find("last", "/elsewhere")).toThrow("no session worked in this folder yet");
});

test.each([
  [1, "restore the file from a backup"],
  [2, /continue a copy of the 1 records before it: signalbox sessions fork /],
  [3, /continue a copy of the 2 records before it: signalbox sessions fork /],
])("a log that is damaged in line %i says what can be saved", (line, fix) => {
  const at = place();
  const id = written(at);
  const path = logPath(at.folder, id);
  const lines = readFileSync(path, "utf8").split("\n");
  lines[line - 1] = (lines[line - 1] ?? "").replace('"at":', '"at" :');
  writeFileSync(path, lines.join("\n"));
  expect(damageError("no", readLog(path), path)?.fix).toEqual(
    typeof fix === "string" ? fix : expect.stringMatching(fix),
  );
});

test("a file in the place of the sessions' folder is named, and not taken for no sessions", () => {
  const folder = join(tempFolder(), "sessions");
  writeFileSync(folder, "");
  const thrown = expect.objectContaining({ where: folder, message: "signalbox cannot store its files here (ENOTDIR)" });
  expect(() => listSessions(folder)).toThrow(thrown);
});

test("a fork takes as many records as it is told, and never more than there are", () => {
  const at = place();
  const id = written(at);
  using fork = forkSession(id, { ...at, cwd: "/work", records: 3 });
  expect(fork.before).toEqual(
    readLog(logPath(at.folder, id))
      .records.slice(1, 3)
      .map(({ record }) => record),
  );
  using shortest = forkSession(id, { ...at, cwd: "/work", records: 1 });
  expect(shortest.before).toEqual([]);
  expect(() => forkSession(id, { ...at, cwd: "/work", records: 0 })).toThrow("not 0");
  expect(() => forkSession(id, { ...at, cwd: "/work", records: 99 })).toThrow(
    "the session has 9 intact records, not 99",
  );
});

test.each(["/proc/nowhere", "/proc/nowhere/deeper", "/dev/null"])("sessions in %s are refused at once", (home) => {
  expect(() => sessionsFolder(home)).toThrow("signalbox cannot store its files here");
});
