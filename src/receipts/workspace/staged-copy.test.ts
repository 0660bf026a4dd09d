import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everything, git, repositoryWith, writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { applyPatch, type ProtectedChange } from "./apply-patch.ts";
import { compareSnapshots } from "../../snapshots/changes.ts";
import { pathFilter } from "../run/read-order.ts";
import { openSnapshots } from "../../snapshots/snapshot.ts";
import { makeStagedCopy } from "./staged-copy.ts";

const ALL = pathFilter([], []);

async function staged(root: string, wanted = ALL) {
  const folder = tempFolder();
  const source = openSnapshots(root, join(folder, "base"));
  const base = await source.take();
  const stage = await makeStagedCopy(source, base, { root: join(folder, "workspace"), folder, wanted });
  const finish = async () => {
    const { patch, status } = await compareSnapshots(stage.store, stage.baseline, await stage.store.take());
    writeFiles(folder, { "changes.patch": patch });
    const result = { root, base, baseFolder: join(folder, "base/0.git"), patchFile: join(folder, "changes.patch") };
    const objected: string[] = [];
    const confirm = (changes: readonly ProtectedChange[]) =>
      void objected.push(...changes.map(({ path, because }) => `${path}: ${because}`));
    return { status, objected, apply: () => applyPatch({ ...result, confirm }, tempFolder()) };
  };
  return { stage, finish };
}

test("a stage holds what the person sees, history included, and nothing of it leads back", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "run.sh": "#!/bin/sh\n", ".gitignore": "ignored\n" });
  writeFiles(root, { "a.txt": "edited\n", "untracked.txt": "u\n", ignored: "i" });
  symlinkSync("a.txt", join(root, "inside"));
  symlinkSync("/etc/passwd", join(root, "outside"));
  const untouched = everything(join(root, ".git"));
  const { stage } = await staged(root);
  expect(readdirSync(stage.root).toSorted()).toEqual([
    ".git",
    ".gitignore",
    "a.txt",
    "inside",
    "run.sh",
    "untracked.txt",
  ]);
  expect(readFileSync(join(stage.root, "inside"), "utf8")).toBe("edited\n");
  expect(stage.dropped).toEqual(["outside"]);
  expect(git(stage.root, "log", "--format=%s")).toBe("The workspace as the run found it\nfirst\n");
  expect([git(stage.root, "status", "--porcelain"), git(stage.root, "remote")]).toEqual(["", ""]);
  git(stage.root, "commit", "--allow-empty", "-qm", "by the agent");
  git(stage.root, "branch", "-m", "renamed");
  expect(everything(join(root, ".git"))).toEqual(untouched);
});

test("git works in a stage that cannot reach the user's repository, and older history is cut off", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const commit = "commit refs/heads/long\ncommitter a <a@b> 1 +0000\ndata 2\nc\n\n";
  execFileSync("git", ["fast-import", "--quiet"], { cwd: root, input: commit.repeat(250) });
  git(root, "reset", "-q", "--soft", "long");
  const { stage, finish } = await staged(root);
  renameSync(join(root, ".git"), join(root, "elsewhere"));
  writeFiles(stage.root, { "a.txt": "b\n" });
  expect(git(stage.root, "rev-list", "--count", "HEAD")).toBe("200\n");
  expect(git(stage.root, "status", "--porcelain")).toBe(" M a.txt\n");
  expect(git(stage.root, "diff", "--stat", "HEAD~1")).toContain("a.txt");
  expect(git(stage.root, "fsck", "--no-dangling")).toBe("");
  renameSync(join(root, "elsewhere"), join(root, ".git"));
  rmSync(join(stage.root, ".git/objects/pack"), { recursive: true });
  expect((await finish()).status).toBe("M  a.txt\n");
});

test("a staged result comes back as files, and the index and branches stay", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "gone.txt": "g\n", "old.txt": "one\ntwo\nthree\nfour\n" });
  writeFiles(root, { "half.txt": "staged\n" });
  git(root, "add", "half.txt");
  const untouched = everything(join(root, ".git"));
  const { stage, finish } = await staged(root);
  writeFiles(stage.root, { "a.txt": "new\n", "made/binary": Buffer.from([0, 255, 1]) });
  rmSync(join(stage.root, "gone.txt"));
  git(stage.root, "mv", "old.txt", "new.txt");
  git(stage.root, "add", "-A");
  git(stage.root, "commit", "-qm", "the agent commits too");
  const { status, apply } = await finish();
  expect(status).toBe("M  a.txt\nD  gone.txt\nA  made/binary\nR  old.txt -> new.txt\n");
  await apply();
  expect(everything(join(root, ".git"))).toEqual(untouched);
  const { ".git": _git, ...files } = { ...everything(root) };
  expect(Object.keys(files).filter((name) => !name.startsWith(".git/"))).toEqual([
    "a.txt",
    "half.txt",
    "made/binary",
    "new.txt",
  ]);
  expect(readFileSync(join(root, "made/binary"))).toEqual(Buffer.from([0, 255, 1]));
});

test("a base that has moved is refused with the files that did, and nothing is written", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "b.txt": "b\n" });
  const { stage, finish } = await staged(root);
  writeFiles(stage.root, { "a.txt": "new\n" });
  const { apply } = await finish();
  writeFiles(root, { "b.txt": "the person went on\n" });
  await expect(apply()).rejects.toMatchObject({
    message: "the workspace has changed since the run started",
    where: `${root}: b.txt`,
    exitCode: 3,
  });
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("a\n");
});

test("a link that an agent made does not carry a staged result out of the workspace", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const outside = tempFolder();
  const { stage, finish } = await staged(root);
  symlinkSync(outside, join(stage.root, "way"));
  const { apply } = await finish();
  await apply();
  const again = await staged(root);
  expect(existsSync(join(again.stage.root, "way"))).toBe(false);
  writeFiles(again.stage.root, { "way/x.txt": "x\n" });
  const { apply: second } = await again.finish();
  await expect(second()).rejects.toMatchObject({ exitCode: 3 });
  expect(readdirSync(outside)).toEqual([]);
});

test("a folder that becomes a link while a result is written leads nothing out, and the rest is taken back", async () => {
  const root = repositoryWith({ "a/keep": "a\n", "z/keep": "z\n", "z/old": "old\n" });
  const outside = tempFolder();
  symlinkSync(outside, join(root, ".git", "way"));
  const { stage, finish } = await staged(root);
  writeFiles(stage.root, Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`a/${at}`, "new\n"])));
  writeFiles(stage.root, { "z/old": "new\n", "z/new": "new\n" });
  const { apply } = await finish();
  const swap = watchThenSwap([join(root, "a/0"), join(root, "z"), join(root, ".git/way")]);
  const outcome = await apply().then(
    () => "applied",
    (error: unknown) => error,
  );
  swap[Symbol.dispose]();
  expect(readdirSync(outside)).toEqual([]);
  const written = readdirSync(join(root, "a")).length;
  if (outcome === "applied") expect(written).toBe(201);
  else expect([outcome, written]).toEqual([expect.objectContaining({ exitCode: 3 }), 1]);
});

/** Another program in the workspace: as soon as the file is there, it puts the link in the place of the folder. */
function watchThenSwap(paths: readonly [string, string, string]): Disposable {
  const code = `const { existsSync, renameSync } = require("node:fs");
const [file, folder, link] = process.argv.slice(1);
while (!existsSync(file));
renameSync(folder, folder + "-away");
renameSync(link, folder);`;
  const child = spawn(process.execPath, ["-e", code, ...paths], { stdio: "ignore" });
  return { [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

test("include and exclude choose files, submodules come along, and a folder without git can be staged", async () => {
  const library = repositoryWith({ "library.txt": "old\n" });
  const root = repositoryWith({ "src/a.ts": "a\n", "src/deep/b.ts": "b\n", "src/b.log": "l\n", "docs/c.md": "c\n" });
  git(root, "submodule", "--quiet", "add", library, "src/library");
  const { stage, finish } = await staged(root, pathFilter(["src"], ["*.log"]));
  const files = Object.keys(everything(stage.root)).filter((name) => !name.startsWith(".git/"));
  expect(files).toEqual(["src/a.ts", "src/deep/b.ts", "src/library/library.txt"]);
  writeFiles(stage.root, { "src/library/library.txt": "new\n", "src/a.ts": "A\n" });
  const { apply, status } = await finish();
  expect(status).toBe("M  src/a.ts\nM  src/library/library.txt\n");
  await apply();
  expect(readFileSync(join(root, "src/library/library.txt"), "utf8")).toBe("new\n");

  const plain = tempFolder();
  writeFiles(plain, { "x.txt": "x\n" });
  const second = await staged(plain);
  writeFiles(second.stage.root, { "x.txt": "y\n" });
  await (await second.finish()).apply();
  expect([readFileSync(join(plain, "x.txt"), "utf8"), existsSync(join(plain, ".git"))]).toEqual(["y\n", false]);
});

test("every path and link of a result that the floors object to is named before anything is written", async () => {
  const library = repositoryWith({ "library.txt": "l\n" });
  const root = repositoryWith({
    "a.txt": "a\n",
    "b.txt": "b\n",
    "realdir/x": "x\n",
    ".github/workflows/old.yml": "on: push\n",
    "was-file": "f\n",
  });
  renameSync(library, join(root, "inner"));
  const { stage, finish } = await staged(root);
  const outside = tempFolder();
  writeFiles(stage.root, {
    "a.txt": "fine\n",
    "new/fine.txt": "fine\n",
    "inner/library.txt": "fine\n",
    "inner/.claude/settings.json": "{}",
    ".claude/settings.json": "{}",
    ".mcp.json": "{}",
    ".signalbox/policy.yaml": "",
    ".gitattributes": "* filter=x\n",
    "odd\nname": "",
  });
  git(stage.root, "mv", ".github/workflows/old.yml", "moved.yml");
  for (const name of ["realdir", "was-file"]) rmSync(join(stage.root, name), { recursive: true });
  const links = {
    realdir: outside,
    "was-file": "a.txt",
    gitlink: ".git",
    "deep/link": "../.git/config",
    "new/above": "../..",
    "new/whole": "..",
    "new/settings": "../.claude",
    "new/fine": "fine.txt",
  };
  mkdirSync(join(stage.root, "deep"));
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(stage.root, name));
  const { apply, objected } = await finish();
  await apply();
  const named = objected.map((line) => line.slice(0, line.indexOf(": ")));
  expect(named.toSorted()).toEqual([
    ".claude/settings.json",
    ".gitattributes",
    ".github/workflows/old.yml",
    ".mcp.json",
    ".signalbox/policy.yaml",
    "deep/link",
    "gitlink",
    "inner/.claude/settings.json",
    "new/above",
    "new/settings",
    "new/whole",
    "odd\nname",
    "realdir",
    "was-file",
  ]);
  expect(objected).toContain(`realdir: it is a link out of the workspace, to ${outside}`);
  expect(objected).toContain("was-file: a link to a.txt replaces a file");
  expect(readFileSync(join(root, "inner/library.txt"), "utf8")).toBe("fine\n");
});

test.each(["[", "a{b", "", "!**", "a***", "a\\b", `{${"a,".repeat(70)}}`])("the pattern %j is refused", (pattern) => {
  expect(() => pathFilter([pattern], [])).toThrow(/pattern/);
});
