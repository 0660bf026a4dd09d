import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { age, DAY } from "../../../test/support/prune-scene.ts";
import { everything, writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { logPath, newSessionId, sessionsFolder } from "./log-folder.ts";
import { listSessions } from "./list-sessions.ts";
import { pruneSessions } from "./prune-sessions.ts";
import { createSession, openSession } from "./session-log.ts";

const NOW = Date.now();
const OLD = NOW - 60 * DAY;

/** A home with sessions, each with an output file; all of them old. */
function scene(count: number) {
  const home = tempFolder();
  const folder = sessionsFolder(home);
  const ids = Array.from({ length: count }, (_, index) => {
    const id = newSessionId(OLD + index * 1000);
    using session = createSession({ id, cwd: "/w", model: "a/b" }, { folder, now: () => OLD });
    session.append({ type: "rest", reason: "answered", because: "" });
    writeFiles(folder, { [`${id}.files/1.txt`]: "12345" });
    return id;
  });
  age(folder, OLD);
  return { home, folder, ids, order: { home, before: NOW - 30 * DAY, dryRun: false } };
}

test("an old session goes with its outputs and its lock; a young one stays", () => {
  const { folder, order, ids } = scene(2);
  const [old = "", young = ""] = ids;
  writeFiles(folder, { [`${young}.files/2.txt`]: "new" });
  const before = everything(folder);
  const dry = pruneSessions({ ...order, dryRun: true });
  expect(everything(folder)).toEqual(before);
  const done = pruneSessions(order);
  expect(done).toEqual(dry);
  expect(done.pruned.map(({ what }) => what)).toEqual([`session ${old}`]);
  expect(done.pruned[0]?.bytes).toBeGreaterThan(5);
  expect(readdirSync(folder).filter((name) => name.startsWith(old))).toEqual([]);
  expect(listSessions(folder).map(({ id }) => id)).toEqual([young]);
});

test("a session that is open anywhere stays", () => {
  const { folder, order, ids } = scene(1);
  const [id = ""] = ids;
  using _open = openSession(id, { folder, now: Date.now });
  age(folder, OLD);
  expect(pruneSessions(order)).toEqual({ pruned: [], kept: [{ what: `session ${id}`, because: "it is open" }] });
});

test("a session of a newer signalbox stays and says so", () => {
  const { folder, order, ids } = scene(1);
  const [id = ""] = ids;
  const path = logPath(folder, id);
  writeFileSync(path, readFileSync(path, "utf8").replace('"version":2', '"version":3'));
  age(folder, OLD);
  expect(pruneSessions(order).kept).toEqual([
    { what: `session ${id}`, because: "written by a newer signalbox (format 3); update signalbox" },
  ]);
});

test("what an interrupted prune left of a session goes with the next one", () => {
  const { folder, order, ids } = scene(1);
  const [id = ""] = ids;
  const other = newSessionId(OLD + 9000);
  writeFiles(folder, { [`${other}.files/1.txt`]: "left", [`${other}.lock`]: "" });
  age(folder, OLD);
  expect(pruneSessions(order).pruned.map(({ what }) => what)).toEqual([`session ${id}`, `session ${other}`]);
  expect(readdirSync(folder)).toEqual([]);
});

test("links out of the folder are not followed", () => {
  const { folder, order } = scene(0);
  const outside = tempFolder();
  writeFiles(outside, { "log.jsonl": "mine\n", "files/a": "mine" });
  const id = newSessionId(OLD);
  symlinkSync(join(outside, "log.jsonl"), logPath(folder, id));
  symlinkSync(join(outside, "files"), join(folder, `${id}.files`));
  pruneSessions({ ...order, before: Date.now() + DAY });
  expect([existsSync(logPath(folder, id)), Object.keys(everything(outside))]).toEqual([
    false,
    ["files/a", "log.jsonl"],
  ]);
});
