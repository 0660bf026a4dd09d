import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everything, git, repositoryWith, writeFiles } from "../../test/support/git-repository.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { openSnapshotSession } from "./open-session.ts";
import { restoreSnapshot } from "./restore.ts";
import { findSnapshot, listSnapshots, savedSnapshot } from "./saved-session.ts";
import { USUAL_SNAPSHOT_LIMITS } from "./take-snapshot.ts";

const ID = "0123456789abcdef";
/** A busy machine must not fail these tests. */
const PATIENT = { ...USUAL_SNAPSHOT_LIMITS, milliseconds: 60_000 };

async function begin(workspace: string, home = tempFolder(), id = ID) {
  const session = openSnapshotSession({ home, id, agent: "test", workspace, limits: PATIENT });
  const state = await session.ready;
  return { session, state, home };
}

const read = (root: string, path: string) => readFileSync(join(root, path), "utf8");

test("what a session changed or deleted comes back, what it made stays, and git is not touched", async () => {
  const root = repositoryWith({
    "a.txt": "a\n",
    "dir/b.txt": "b\n",
    "dir/deep/run.sh": "#!/bin/sh\n",
    "same.txt": "s\n",
    ".gitignore": "*.log\n",
  });
  chmodSync(join(root, "dir/deep/run.sh"), 0o755);
  writeFiles(root, { "un tracked\n": "u\n", "secret.txt": "s\n", "x.log": "ignored\n", "a.txt": "edited\n" });
  chmodSync(join(root, "secret.txt"), 0o600);
  symlinkSync("a.txt", join(root, "link"));
  const untouched = everything(join(root, ".git"));
  const { session, home } = await begin(root);
  session.began("1");
  writeFiles(root, { "a.txt": "by the agent\n", "made.txt": "m\n" });
  for (const name of ["dir", "un tracked\n", "secret.txt", "link", "x.log"])
    rmSync(join(root, name), { recursive: true });
  session.ended("1");
  await session.end();

  const stored = savedSnapshot(findSnapshot(home, "last"));
  const changes = [
    { path: "a.txt", change: "changed" },
    { path: "dir/b.txt", change: "deleted" },
    { path: "dir/deep/run.sh", change: "deleted" },
    { path: "link", change: "deleted" },
    { path: "secret.txt", change: "deleted" },
    { path: "un tracked\n", change: "deleted" },
  ];
  const shown = await restoreSnapshot(stored, { dryRun: true });
  expect([shown.restored, existsSync(join(root, "dir"))]).toEqual([changes, false]);
  const { undo, ...report } = await restoreSnapshot(stored);
  expect(report).toEqual({ restored: changes, removed: [], added: ["made.txt"], kept: [], failed: [] });
  expect([read(root, "a.txt"), read(root, "un tracked\n"), readlinkSync(join(root, "link"))]).toEqual([
    "edited\n",
    "u\n",
    "a.txt",
  ]);
  const modes = ["dir/deep/run.sh", "secret.txt"].map((path) => statSync(join(root, path)).mode & 0o777);
  expect([modes[1], (modes[0] ?? 0) & 0o100]).toEqual([0o600, 0o100]);
  expect(existsSync(join(root, "x.log"))).toBe(false);
  expect(everything(join(root, ".git"))).toEqual(untouched);
  expect(readdirSync(root).filter((name) => name.includes("signalbox"))).toEqual([]);

  expect((await restoreSnapshot(stored)).restored).toEqual([]);
  await restoreSnapshot({ ...stored, ...undo }, { force: true, paths: [join(root, "a.txt")] });
  expect(read(root, "a.txt")).toBe("by the agent\n");
});

test("what the user changed after the session stays unless forced, and new files go only when asked", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "b.txt": "b\n", "c/d.txt": "d\n" });
  const { session, home } = await begin(root);
  writeFiles(root, { "a.txt": "agent\n", "b.txt": "agent\n", "new/deep/x": "x\n" });
  await session.end();
  const stored = savedSnapshot(findSnapshot(home, ID.slice(0, 4)));
  // Files carry the kernel's last tick, so this is surely later.
  const end = stored.endedAt ?? 0;
  do writeFiles(root, { "b.txt": "the user\n" });
  while (lstatSync(join(root, "b.txt")).ctimeMs <= end + 1);
  expect(await restoreSnapshot(stored, { removeNew: true })).toMatchObject({
    restored: [{ path: "a.txt", change: "changed" }],
    removed: ["new/deep/x"],
    kept: [{ path: "b.txt", because: "it was changed after the session ended" }],
  });
  expect([read(root, "b.txt"), existsSync(join(root, "new"))]).toEqual(["the user\n", false]);
  await restoreSnapshot(stored, { force: true });
  expect(read(root, "b.txt")).toBe("b\n");
});

test("a restore never writes through a link, and a folder in the place of a file stays", async () => {
  const root = repositoryWith({ "x/y.txt": "y\n", file: "f\n", "ok.txt": "o\n" });
  const outside = tempFolder();
  const { session, home } = await begin(root);
  rmSync(join(root, "x"), { recursive: true });
  symlinkSync(outside, join(root, "x"));
  rmSync(join(root, "file"));
  rmSync(join(root, "ok.txt"));
  writeFiles(root, { "file/inside": "i\n" });
  await session.end();
  const stored = savedSnapshot(findSnapshot(home, "last"));
  const { restored, kept } = await restoreSnapshot(stored);
  expect(restored).toEqual([{ path: "ok.txt", change: "deleted" }]);
  expect(kept.map(({ path, because }) => `${path}: ${because}`)).toEqual([
    "file: a folder is in its place",
    "x/y.txt: x is not a folder any more",
  ]);
  expect(readdirSync(outside)).toEqual([]);
  await restoreSnapshot(stored, { removeNew: true });
  expect([read(root, "x/y.txt"), read(root, "file"), readdirSync(outside)]).toEqual(["y\n", "f\n", []]);
});

test("recoverable is what nothing would lose", async () => {
  const library = repositoryWith({ "lib.txt": "l\n" });
  const root = repositoryWith({
    "same.txt": "s\n",
    "edit.txt": "e\n",
    "src/a.txt": "a\n",
    ".gitignore": "*.log\nold/\n",
  });
  renameSync(library, join(root, "nested"));
  writeFiles(root, {
    "edit.txt": "uncommitted\n",
    "untracked.txt": "u\n",
    "keep.log": "ignored\n",
    "old/x": "ignored\n",
    "mixed/a.txt": "a\n",
    "mixed/b.log": "ignored\n",
    "theirs.txt": "t\n",
    "committed.txt": "c\n",
  });
  const patience = { git: 60_000, walk: 60_000 };
  const home = tempFolder();
  const pending = openSnapshotSession({ home, id: ID, agent: "test", workspace: root, patience, limits: PATIENT });
  expect(pending.recoverable("same.txt")).toBe(undefined);
  expect(await pending.ready).toMatchObject({ state: "taken" });

  // The user, while no call runs.
  writeFiles(root, { "theirs.txt": "changed by the user\n", "user.txt": "new\n", "committed.txt": "by the user\n" });
  git(root, "add", "committed.txt");
  await untilLater(join(root, "user.txt"));
  pending.began("1");
  writeFiles(root, { "src/a.txt": "by the session\n", "made/x.log": "x\n", "keep.log": "more\n" });
  pending.ended("1");

  const asked = {
    "same.txt": true,
    "edit.txt": true,
    "untracked.txt": true,
    "src/a.txt": true,
    src: true,
    made: true,
    "not/there": true,
    "nested/lib.txt": true,
    "committed.txt": true,
    "theirs.txt": false,
    "user.txt": false,
    "keep.log": false,
    "old/x": false,
    old: false,
    mixed: false,
    nested: false,
    ".git": false,
    ".git/HEAD": false,
    ".": false,
    "/etc/passwd": undefined,
  };
  expect(Object.fromEntries(Object.keys(asked).map((path) => [path, pending.recoverable(path)]))).toEqual(asked);
  await untilLater(join(root, "src/a.txt"));
  writeFiles(root, { "committed.txt": "once more\n" });
  pending.invalidate();
  expect(pending.recoverable(join(root, "committed.txt"))).toBe(false);
  await pending.end();
});

test("for git's own commands neither its data nor what it ignores counts", async () => {
  const root = repositoryWith({ "a.txt": "a\n", ".gitignore": "*.log\n" });
  writeFiles(root, { "a.txt": "uncommitted\n", "untracked.txt": "u\n", "keep.log": "ignored\n" });
  const patience = { git: 60_000, walk: 60_000 };
  const parts = { home: tempFolder(), id: ID, agent: "test", workspace: root, patience, limits: PATIENT };
  const session = openSnapshotSession(parts);
  await session.ready;
  expect([session.recoverable("."), session.recoverable(".", "unignored")]).toEqual([false, true]);
  writeFiles(root, { "untracked.txt": "changed by the user\n" });
  session.invalidate();
  expect(session.recoverable(".", "unignored")).toBe(false);
  await session.end();
});

/** Returns when a file written now is some ticks of the kernel's clock younger than this one. */
async function untilLater(file: string): Promise<void> {
  const [probe, { ctimeMs }] = [join(tempFolder(), "probe"), statSync(file)];
  do await writeFile(probe, "");
  while (statSync(probe).ctimeMs < ctimeMs + 40);
}

test("odd files do not disturb a snapshot, and a limit makes it unknown without leaving anything", async () => {
  const root = tempFolder();
  const home = tempFolder();
  writeFiles(root, { "a b\n.txt": "x", "big.bin": Buffer.alloc(2000), "sub/c": "c" });
  mkdirSync(join(root, "empty"));
  symlinkSync("/nowhere", join(root, "dangling"));
  const limits = { milliseconds: 60_000, files: 100, bytes: 5000, fileBytes: 1000 };
  const first = openSnapshotSession({ home, id: ID, agent: "test", workspace: root, limits });
  expect(await first.ready).toEqual({
    state: "taken",
    id: ID,
    skipped: ["big.bin"],
    folder: expect.anything(),
    taken: expect.anything(),
  });
  expect([first.recoverable("big.bin"), first.recoverable("sub"), first.recoverable("empty")]).toEqual([
    false,
    true,
    true,
  ]);
  const bounds = {
    files: { ...limits, files: 2 },
    bytes: { ...limits, bytes: 1 },
    time: { ...limits, milliseconds: 0 },
  };
  for (const [name, each] of Object.entries(bounds)) {
    const session = openSnapshotSession({ home, id: ID, agent: "test", workspace: root, limits: each });
    expect((await session.ready).state, name).toBe("unknown");
    expect(session.recoverable("sub"), name).toBe(undefined);
    await session.end();
  }
  const second = await begin(root, home);
  expect([second.state.state, readdirSync(join(home, "snapshots"))]).toEqual(["taken", [ID, `${ID}-2`]]);
  await Promise.all([first.end(), second.session.end()]);
  expect(listSnapshots(home).map(({ manifest }) => manifest.id)).toEqual([ID, `${ID}-2`]);
});
