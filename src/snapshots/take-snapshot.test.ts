import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { everything, git, repositoryWith, writeFiles } from "../../test/support/git-repository.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { openSnapshotSession } from "./open-session.ts";
import { restoreSnapshot } from "./restore.ts";
import { findSnapshot, listSnapshots, savedSnapshot, sessionLife, sessionSnapshot } from "./saved-session.ts";
import { takeSnapshot, USUAL_SNAPSHOT_LIMITS } from "./take-snapshot.ts";

/** A busy machine must not fail these tests. */
const limits = { ...USUAL_SNAPSHOT_LIMITS, milliseconds: 60_000 };

test("content that git stores in another form comes back as it was on disk, and no program of the repository runs", async () => {
  const root = repositoryWith({ ".gitattributes": "*.big filter=store diff=evil\n*.crlf text eol=crlf\n" });
  const mark = join(tempFolder(), "ran");
  git(root, "config", "filter.store.clean", "sed s/plain/pointer/");
  git(root, "config", "filter.store.smudge", "sed s/pointer/plain/");
  writeFiles(root, { "x.big": "plain content\n", "y.crlf": "one\r\ntwo\r\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "filtered");
  expect(git(root, "show", ":x.big")).toBe("pointer content\n");
  const evil = `touch '${mark}' #`;
  for (const name of ["filter.store.clean", "filter.store.smudge", "filter.store.process", "diff.evil.textconv"])
    git(root, "config", name, evil);
  for (const name of ["core.fsmonitor", "core.hooksPath"]) git(root, "config", name, evil);
  const [store, workspace] = [tempFolder(), root];
  const taken = await takeSnapshot({ workspace, store, limits });
  if (taken.state === "unknown") throw new Error(taken.because);
  for (const name of ["x.big", "y.crlf"]) rmSync(join(root, name));
  // What the agent says about files afterwards does not change how they come back.
  writeFiles(root, { ".gitattributes": "* filter=store working-tree-encoding=UTF-16\n" });
  const report = await restoreSnapshot({ ...taken, workspace, store, endedAt: Date.now() });
  expect(report.restored.map(({ path }) => path)).toEqual([".gitattributes", "x.big", "y.crlf"]);
  expect([readFileSync(join(root, "x.big"), "utf8"), readFileSync(join(root, "y.crlf"), "utf8")]).toEqual([
    "plain content\n",
    "one\r\ntwo\r\n",
  ]);
  expect(existsSync(mark)).toBe(false);
});

test.each([
  ["*.txt text eol=lf\n", "false"],
  ["* text=auto\n", "false"],
  ["", "input"],
])("text with CRLF on disk that git stores with LF comes back with CRLF: %j, autocrlf %s", async (attributes, auto) => {
  const root = repositoryWith({ ".gitattributes": attributes });
  git(root, "config", "core.autocrlf", auto);
  writeFiles(root, { "a.txt": "one\r\ntwo\r\n" });
  // Long ago, so that git trusts the times in its index.
  for (const name of ["a.txt", ".gitattributes"]) utimesSync(join(root, name), 1_700_000_000, 1_700_000_000);
  git(root, "add", "-A");
  expect(git(root, "show", ":a.txt")).toBe("one\ntwo\n");
  const [store, workspace] = [tempFolder(), root];
  const taken = await takeSnapshot({ workspace, store, limits });
  if (taken.state === "unknown") throw new Error(taken.because);
  rmSync(join(root, "a.txt"));
  await restoreSnapshot({ ...taken, workspace, store, endedAt: Date.now() });
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\r\ntwo\r\n");
});

test("a split index, a pipe, a read-only folder and what nobody may read do not stop a snapshot", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "was-file": "f\n", "locked/x": "x\n", "hidden.txt": "h\n" });
  git(root, "update-index", "--split-index");
  writeFiles(root, { "a.txt": "edited\n", "hidden.txt": "changed\n" });
  rmSync(join(root, "was-file"));
  execFileSync("mkfifo", [join(root, "was-file"), join(root, "new-pipe")]);
  chmodSync(join(root, "hidden.txt"), 0o000);
  chmodSync(join(root, "locked"), 0o555);
  const untouched = everything(join(root, ".git"));
  const taken = await takeSnapshot({ workspace: root, store: tempFolder(), limits });
  chmodSync(join(root, "locked"), 0o755);
  if (taken.state === "unknown") throw new Error(taken.because);
  const canRead = process.getuid?.() === 0;
  expect(taken.skipped).toEqual([
    ...(canRead ? [] : [{ path: "hidden.txt", because: "unreadable" }]),
    { path: "was-file", because: "not a file" },
  ]);
  expect(everything(join(root, ".git"))).toEqual(untouched);
});

test("a snapshot store that a killed process left half made is used again", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const store = tempFolder();
  execFileSync("git", ["init", "-q", "--bare", "--template=", join(store, "0.git")]);
  for (const name of ["index.lock", "config.lock"]) writeFileSync(join(store, "0.git", name), "");
  expect(await takeSnapshot({ workspace: root, store, limits })).toMatchObject({ state: "taken" });
});

const SESSION = `
import { openSnapshotSession } from ${JSON.stringify(join(import.meta.dirname, "open-session.ts"))};
import { rmSync } from "node:fs";
const [home, workspace] = process.argv.slice(1);
const session = openSnapshotSession({ home, id: "killed", agent: "test", workspace, limits: ${JSON.stringify(limits)} });
await session.ready;
session.began("1");
rmSync(workspace + "/a.txt");
session.ended("1");
process.stdout.write("ready");
setInterval(() => {}, 1000);
`;

test("a session that was killed can be restored, and leaves nothing that blocks or stays", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const home = tempFolder();
  const child = spawn(process.execPath, ["--input-type=module", "-e", SESSION, home, root], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const running = sessionSnapshot(home, "killed");
  const other = openSnapshotSession({ home, id: "other", agent: "test", workspace: root, limits });
  expect([running && sessionLife(running), (await other.ready).state]).toEqual(["alive", "taken"]);
  child.kill("SIGKILL");
  await once(child, "exit");
  await other.end();
  const killed = findSnapshot(home, "killed");
  expect(sessionLife(killed)).toBe("dead");
  const { restored } = await restoreSnapshot(savedSnapshot(killed));
  expect(restored).toEqual([{ path: "a.txt", change: "deleted" }]);

  rmSync(join(killed.folder, "session.json"));
  const next = openSnapshotSession({ home, id: "next", agent: "test", workspace: root, limits });
  await next.ready;
  await next.end();
  expect(listSnapshots(home).map(({ manifest }) => manifest.id)).toEqual(["other", "next"]);
  expect(readdirSync(join(home, "snapshots")).toSorted()).toEqual(["next", "other"]);
});
