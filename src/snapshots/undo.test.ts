import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, repositoryWith, writeFiles } from "../../test/support/git-repository.ts";
import { treeState } from "../../test/support/random-edits.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { openTurns, redoFiles, SESSION, undoFiles, undoSequence } from "../../test/support/undo-sequence.ts";
import { openTurnSnapshots } from "./turn-snapshots.ts";
import { activeFile, listSnapshots } from "./saved-session.ts";
import { savedTurns, writeTurn } from "./turn-states.ts";

const read = (root: string, path: string) => readFileSync(join(root, path), "utf8");

/** One turn of a session in which `work` is done. */
async function turn(root: string, home: string, work: () => void, name = "one"): Promise<void> {
  const { turns, told } = openTurns(root, home);
  await turns.before(name);
  work();
  turns.touched();
  await turns[Symbol.asyncDispose]();
  expect(told).toEqual([name]);
}

test("random edit sequences are taken back and brought back to the byte", async () => {
  for (const seed of [1001, 1002, 1003, 1004]) expect(await undoSequence(seed)).toEqual([]);
});

test("a rename, a mode, a deleted folder, and links and folders in each other's place come back", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "d/x": "x\n", "d/e/y": "y\n", "f/g": "g\n" });
  symlinkSync("a.txt", join(root, "link"));
  chmodSync(join(root, "f/g"), 0o640);
  const home = tempFolder();
  const before = treeState(root);
  await turn(root, home, () => {
    renameSync(join(root, "a.txt"), join(root, "b.txt"));
    rmSync(join(root, "d"), { recursive: true });
    symlinkSync("f", join(root, "d"));
    rmSync(join(root, "link"));
    writeFiles(root, { "link/deep/inside": "i\n" });
    chmodSync(join(root, "f/g"), 0o600);
  });
  const after = treeState(root);
  expect(await undoFiles(home, root)).toMatchObject({ kept: [], failed: [] });
  expect(treeState(root)).toEqual(before);
  expect(await redoFiles(home, root)).toMatchObject({ kept: [], failed: [] });
  expect(treeState(root)).toEqual(after);
});

test("a file that the user changed, removed, or gave other permissions is kept, and nothing is written through a link", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d/e.txt": "e\n" });
  const [home, elsewhere] = [tempFolder(), tempFolder()];
  await turn(root, home, () =>
    writeFiles(root, { "a.txt": "A\n", "b.txt": "B\n", "c.txt": "C\n", "d/e.txt": "E\n", "n.txt": "N\n" }),
  );
  writeFileSync(join(root, "a.txt"), "mine\n");
  rmSync(join(root, "b.txt"));
  chmodSync(join(root, "c.txt"), 0o640);
  rmSync(join(root, "d"), { recursive: true });
  symlinkSync(elsewhere, join(root, "d"));
  const { moved, kept, failed } = await undoFiles(home, root);
  expect([moved.map(({ path }) => path), failed]).toEqual([["n.txt"], []]);
  expect(kept.map(({ path, because }) => `${path}: ${because}`)).toEqual(
    ["a.txt", "b.txt", "c.txt", "d/e.txt"].map((path) => `${path}: it was changed after the turn`),
  );
  expect([read(root, "a.txt"), existsSync(join(elsewhere, "e.txt"))]).toEqual(["mine\n", false]);
  const forced = await undoFiles(home, root, { force: true, undo: "u2" });
  expect(forced.kept.map(({ path }) => path)).toEqual(["d/e.txt"]);
  expect([read(root, "a.txt"), read(root, "b.txt"), read(root, "c.txt")]).toEqual(["a\n", "b\n", "c\n"]);
  await redoFiles(home, root, "u2");
  expect([read(root, "a.txt"), existsSync(join(root, "b.txt")), read(root, "c.txt")]).toEqual(["mine\n", false, "C\n"]);
});

test("files that were ignored or left out before a turn are never removed, even by force", async () => {
  const root = repositoryWith({ ".gitignore": "*.log\n", "a.txt": "a\n" });
  writeFiles(root, { "x.log": "was there\n", large: Buffer.alloc(65 * 1024 * 1024) });
  const home = tempFolder();
  await turn(root, home, () =>
    writeFiles(root, {
      ".gitignore": "",
      "x.log": "changed\n",
      "new.log": "n\n",
      large: "small now\n",
      "new.txt": "n\n",
    }),
  );
  const { moved, kept } = await undoFiles(home, root, { force: true });
  expect([moved.map(({ path }) => path), kept]).toEqual([
    ["new.txt", ".gitignore"],
    [
      {
        path: "large",
        because: "it was there before the turn, and too large or unreadable for a snapshot",
        isFinal: true,
      },
      { path: "new.log", because: "git ignored it before the turn, so it may have been there", isFinal: true },
      { path: "x.log", because: "git ignored it before the turn, so it may have been there", isFinal: true },
    ],
  ]);
  expect([read(root, ".gitignore"), read(root, "x.log"), read(root, "large")]).toEqual([
    "*.log\n",
    "changed\n",
    "small now\n",
  ]);
});

test("a nested repository that a turn made loses its files and keeps its .git; one that it removed is named", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const home = tempFolder();
  await turn(root, home, () => {
    mkdirSync(join(root, "made"));
    git(join(root, "made"), "init", "-q");
    writeFiles(root, { "made/file": "f\n" });
  });
  expect(await undoFiles(home, root)).toMatchObject({ kept: [], failed: [] });
  expect([existsSync(join(root, "made/file")), existsSync(join(root, "made/.git"))]).toEqual([false, true]);

  rmSync(join(root, "made"), { recursive: true });
  mkdirSync(join(root, "inner"));
  git(join(root, "inner"), "init", "-q");
  writeFiles(root, { "inner/file": "f\n" });
  git(join(root, "inner"), "add", "-A");
  git(join(root, "inner"), "commit", "-qm", "inner");
  await turn(root, home, () => rmSync(join(root, "inner"), { recursive: true }), "two");
  expect((await undoFiles(home, root, { from: "two", undo: "u2" })).kept).toEqual([
    { path: "inner/", because: "its old content was removed with its repository", isFinal: true },
  ]);
});

test("a submodule's files come back, and so does what two turns and a user have changed in turn", async () => {
  const library = repositoryWith({ "library.txt": "old\n" });
  const root = repositoryWith({ "a.txt": "a\n", "b.txt": "b\n" });
  git(root, "submodule", "--quiet", "add", library, "lib");
  git(root, "commit", "-qm", "with a submodule");
  const home = tempFolder();
  await turn(root, home, () => writeFiles(root, { "lib/library.txt": "1\n", "a.txt": "1\n", "b.txt": "1\n" }));
  writeFiles(root, { "b.txt": "mine\n", "c.txt": "mine\n" });
  await turn(root, home, () => writeFiles(root, { "a.txt": "2\n", "b.txt": "2\n", "c.txt": "2\n" }), "two");
  const { kept } = await undoFiles(home, root);
  expect(kept).toEqual([{ path: "b.txt", because: "it was changed after the turn" }]);
  // Of b.txt nothing is taken back; c.txt was the user's before the second turn.
  expect(["lib/library.txt", "a.txt", "b.txt", "c.txt"].map((path) => read(root, path))).toEqual([
    "old\n",
    "a\n",
    "2\n",
    "mine\n",
  ]);
});

test("a turn that was killed is taken back, and what was changed after its last call is kept", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "b.txt": "b\n" });
  const home = tempFolder();
  await turn(root, home, () => {
    writeFiles(root, { "a.txt": "A\n" });
  });
  const [saved] = savedTurns(home, SESSION);
  if (saved === undefined) throw new Error("no turn was saved");
  writeTurn(saved.file, { ...saved.state, after: null });
  // The clock of files ticks more coarsely than ours.
  const end = statSync(activeFile(saved.folder)).mtimeMs;
  while (Date.now() < end + 60) await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(join(root, "b.txt"), "mine\n");
  const { moved, kept } = await undoFiles(home, root);
  expect([moved.map(({ path }) => path), kept]).toEqual([
    ["a.txt"],
    [{ path: "b.txt", because: "it was changed after the session was killed, or just before" }],
  ]);
});

test("an undo that was interrupted goes on, and a redo then brings everything back", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "b.txt": "b\n" });
  const home = tempFolder();
  await turn(root, home, () => writeFiles(root, { "a.txt": "A\n", "b.txt": "B\n", "c.txt": "C\n" }));
  const after = treeState(root);
  // As if the first try had been killed when one file was done.
  await undoFiles(home, root);
  writeFiles(root, { "b.txt": "B\n", "c.txt": "C\n" });
  await undoFiles(home, root);
  expect([read(root, "a.txt"), read(root, "b.txt"), existsSync(join(root, "c.txt"))]).toEqual(["a\n", "b\n", false]);
  await redoFiles(home, root);
  expect(treeState(root)).toEqual(after);
});

test("beyond the limits a turn has no snapshot, which is said once", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  writeFiles(root, { "b.txt": "b\n", "c.txt": "c\n" });
  const told: string[] = [];
  const limits = { milliseconds: 60_000, files: 1, bytes: 1000, fileBytes: 1000 };
  await using turns = openTurnSnapshots({
    home: tempFolder(),
    id: SESSION,
    agent: "test",
    workspace: root,
    limits,
    onTurn: (name, saved) => void told.push(`${name} ${JSON.stringify(saved)}`),
    warn: (text) => void told.push(text),
  });
  await turns.before("one");
  await turns.before("two");
  expect(told).toEqual([
    "this turn cannot be undone: no snapshot was taken (more than 1 new or changed files)",
    'one {"because":"more than 1 new or changed files"}',
    'two {"because":"more than 1 new or changed files"}',
  ]);
});

test("files that a killed undo was preparing are removed by the next one, and those of a living one stay", async () => {
  const root = repositoryWith({ "d/a.txt": "a\n" });
  const home = tempFolder();
  await turn(root, home, () => writeFiles(root, { "d/a.txt": "A\n" }));
  const { pid: dead } = spawnSync("true");
  const name = (pid: number) => `d/.signalbox-${pid}-${"0".repeat(32)}.tmp`;
  const mine = `d/.signalbox-notes.tmp`;
  writeFiles(root, { [name(dead)]: "half", [name(process.ppid)]: "half", [mine]: "mine" });
  expect(await undoFiles(home, root)).toMatchObject({ kept: [], failed: [] });
  expect([name(dead), name(process.ppid), mine].map((path) => existsSync(join(root, path)))).toEqual([
    false,
    true,
    true,
  ]);
});

test.skipIf(process.getuid?.() === 0)("a folder that may not be written is said in plain words", async () => {
  const root = repositoryWith({ "d/a.txt": "a\n" });
  const home = tempFolder();
  await turn(root, home, () => writeFiles(root, { "d/a.txt": "A\n", "d/b.txt": "b\n" }));
  chmodSync(join(root, "d"), 0o555);
  const { failed } = await undoFiles(home, root);
  chmodSync(join(root, "d"), 0o755);
  const because = "you may not write in its folder (EACCES)";
  expect(failed).toEqual(["d/b.txt", "d/a.txt"].map((path) => ({ path, because })));
});

test("permissions alone that a turn changes come back, also within the second in which the file was made", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const home = tempFolder();
  const { turns } = openTurns(root, home);
  const work = async (name: string, change: () => void) => {
    await turns.before(name);
    change();
    turns.touched();
    turns.after();
    await turns.settled();
  };
  await work("one", () => writeFiles(root, { "new.txt": "n\n" }));
  chmodSync(join(root, "new.txt"), 0o644);
  await work("two", () => chmodSync(join(root, "new.txt"), 0o600));
  await work("three", () => chmodSync(join(root, "new.txt"), 0o640));
  await turns[Symbol.asyncDispose]();
  const changed = await turns.changes();
  await undoFiles(home, root, { from: "three" });
  const third = statSync(join(root, "new.txt")).mode & 0o777;
  await undoFiles(home, root, { from: "two", undo: "u2" });
  expect([changed, third, statSync(join(root, "new.txt")).mode & 0o777]).toEqual([["A  new.txt"], 0o600, 0o644]);
});

test("a file that was just made, and whose folder becomes a file, comes back", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const home = tempFolder();
  writeFiles(root, { "d/x": "x\n" });
  await turn(root, home, () => {
    rmSync(join(root, "d"), { recursive: true });
    writeFiles(root, { d: "d\n" });
  });
  await undoFiles(home, root);
  expect(read(root, "d/x")).toBe("x\n");
});

test("a snapshot that is taken early is only kept if something began", async () => {
  const [root, home] = [repositoryWith({ "a.txt": "a\n" }), tempFolder()];
  const idle = openTurns(root, home).turns;
  idle.prepare();
  await idle.session().ready;
  await idle[Symbol.asyncDispose]();
  const none = [listSnapshots(home).length, await idle.changes()];
  const busy = openTurns(root, home).turns;
  busy.prepare();
  await busy.session().ready;
  writeFiles(root, { "a.txt": "the user's\n" });
  await busy.before("one");
  writeFiles(root, { "a.txt": "the agent's\n" });
  await busy[Symbol.asyncDispose]();
  await undoFiles(home, root);
  expect([none, listSnapshots(home).length, read(root, "a.txt")]).toEqual([[0, undefined], 1, "the user's\n"]);
});

test("a file that the user's own ignore list named before a turn is not the turn's when that list changes", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const [home, list] = [tempFolder(), join(tempFolder(), "ignore")];
  writeFileSync(list, "secret*\n");
  git(root, "config", "core.excludesFile", list);
  writeFiles(root, { "secret.txt": "mine\n" });
  await turn(root, home, () => {
    writeFiles(root, { "a.txt": "A\n" });
    writeFileSync(list, "");
  });
  expect((await undoFiles(home, root)).moved.map(({ path }) => path)).toEqual(["a.txt"]);
  expect(read(root, "secret.txt")).toBe("mine\n");
});

test("line ends that git stores in another form come back, also in a file that git knows to be unchanged", async () => {
  const root = repositoryWith({ ".gitattributes": "*.txt text eol=lf\n" });
  const home = tempFolder();
  writeFiles(root, { "b.txt": "b\r\n" });
  utimesSync(join(root, "b.txt"), 1_700_000_000, 1_700_000_000);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "b");
  utimesSync(join(root, ".git/index"), Date.now() / 1000 + 5, Date.now() / 1000 + 5);
  await turn(root, home, () => rmSync(join(root, "b.txt")));
  await undoFiles(home, root);
  expect(read(root, "b.txt")).toBe("b\r\n");
});
