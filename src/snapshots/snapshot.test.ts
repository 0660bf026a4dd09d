import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everything, git, repositoryWith, writeFiles } from "../../test/support/git-repository.ts";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { compareSnapshots } from "./changes.ts";
import { openSnapshots } from "./snapshot.ts";

const LINES = "one\ntwo\nthree\nfour\nfive\nsix\n";

test("new, deleted, renamed, changed and binary files are found, and the repository is not touched", async () => {
  const root = repositoryWith({ "keep.txt": "keep\n", "old.txt": LINES, "gone.txt": "gone\n", "edit.txt": "a\n" });
  writeFiles(root, { ".git/info/exclude": "secret\n", "dirty.txt": "the person's own\n", secret: "not seen" });
  git(root, "add", "dirty.txt");
  const untouched = everything(join(root, ".git"));
  const store = openSnapshots(root, tempFolder());

  const before = await store.take();
  renameSync(join(root, "old.txt"), join(root, "new.txt"));
  rmSync(join(root, "gone.txt"));
  writeFiles(root, { "edit.txt": "b\n", "made/binary": Buffer.from([0, 1, 2]), "dirty.txt": "changed\n" });
  writeFiles(root, { ".agent-backplane/artifacts/x": "ours" });
  const after = await store.take();
  const changes = await compareSnapshots(store, before, after);

  expect(everything(join(root, ".git"))).toEqual(untouched);
  expect(changes.files).toEqual([
    { path: "dirty.txt", kind: "modified" },
    { path: "edit.txt", kind: "modified" },
    { path: "gone.txt", kind: "deleted" },
    { path: "made/binary", kind: "added" },
    { path: "new.txt", kind: "renamed", from: "old.txt" },
  ]);
  expect(changes.status).toBe("M  dirty.txt\nM  edit.txt\nD  gone.txt\nA  made/binary\nR  old.txt -> new.txt\n");
  expect(changes.patch.toString()).toContain("GIT binary patch");
});

test("the same content has the same digest, whatever happened in between", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const store = openSnapshots(root, tempFolder());
  const before = await store.take();
  writeFiles(root, { "a.txt": "b\n" });
  const between = await store.take();
  writeFiles(root, { "a.txt": "a\n" });
  expect([(await store.take()).digest, between.digest === before.digest]).toEqual([before.digest, false]);
});

test("an edit is found in a file that git was told not to look at, before or during the run", async () => {
  const root = repositoryWith({ "a.txt": "aa\n", "b.txt": "bb\n" });
  git(root, "update-index", "--assume-unchanged", "a.txt");
  const store = openSnapshots(root, tempFolder());
  const before = await store.take();
  git(root, "update-index", "--assume-unchanged", "b.txt");
  writeFiles(root, { "a.txt": "AA\n", "b.txt": "BB\n", ".git/info/exclude": "*\n", "c.txt": "cc\n" });
  const { files } = await compareSnapshots(store, before, await store.take());
  expect(files.map(({ path }) => path)).toEqual(["a.txt", "b.txt", "c.txt"]);
});

test("a change inside a submodule is found, with its path from the workspace", async () => {
  const library = repositoryWith({ "library.txt": "old\n" });
  const root = repositoryWith({ "a.txt": "a\n" });
  git(root, "submodule", "--quiet", "add", library, "inner/library");
  git(root, "commit", "-qm", "with a submodule");
  const untouched = everything(join(root, ".git"));
  const store = openSnapshots(root, tempFolder());
  const before = await store.take();
  writeFiles(root, { "inner/library/library.txt": "new\n", "inner/library/more.txt": "more\n" });
  const { files, patch } = await compareSnapshots(store, before, await store.take());
  expect(files.map(({ path }) => path)).toEqual(["inner/library/library.txt", "inner/library/more.txt"]);
  expect(patch.toString()).toContain("+++ b/inner/library/library.txt");
  expect(everything(join(root, ".git"))).toEqual(untouched);
});

test("a merge in progress and a dirty index stay as they are", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  git(root, "checkout", "-qb", "other");
  writeFiles(root, { "a.txt": "other\n" });
  git(root, "commit", "-qam", "other");
  git(root, "checkout", "-q", "main");
  writeFiles(root, { "a.txt": "main\n" });
  git(root, "commit", "-qam", "main");
  expect(() => git(root, "merge", "other")).toThrow("Command failed");
  const untouched = everything(join(root, ".git"));
  const store = openSnapshots(root, tempFolder());
  const before = await store.take();
  writeFiles(root, { "a.txt": "merged\n" });
  const { status } = await compareSnapshots(store, before, await store.take());
  expect(status).toBe("M  a.txt\n");
  expect(everything(join(root, ".git"))).toEqual(untouched);
});

test("a folder without git, one without a commit and one below the top of a repository work too", async () => {
  const below = repositoryWith({ "top.txt": "t\n" });
  mkdirSync(join(below, "sub"));
  for (const root of [tempFolder(), tempRepository(), join(below, "sub")]) {
    const store = openSnapshots(root, tempFolder());
    const before = await store.take();
    writeFiles(root, { "made.txt": "m\n" });
    symlinkSync("made.txt", join(root, "link"));
    const { status } = await compareSnapshots(store, before, await store.take());
    expect(status).toBe("A  link\nA  made.txt\n");
  }
});

test("settings and attributes of a repository start no program", async () => {
  const root = repositoryWith({ "a.txt": "a\n", ".gitattributes": "*.txt filter=evil diff=evil\n" });
  const mark = join(tempFolder(), "ran");
  for (const name of ["filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "core.fsmonitor"])
    git(root, "config", name, `touch '${mark}' #`);
  const store = openSnapshots(root, tempFolder());
  const before = await store.take();
  writeFiles(root, { "a.txt": "b\n" });
  await compareSnapshots(store, before, await store.take());
  expect(() => everything(mark)).toThrow("ENOENT");
});

test("the settings of a submodule start no program either", async () => {
  const library = repositoryWith({ "a.txt": "a\n" });
  const root = repositoryWith({ "b.txt": "b\n" });
  git(root, "submodule", "--quiet", "add", library, "inner");
  git(root, "commit", "-qm", "with a submodule");
  const mark = join(tempFolder(), "ran");
  const inner = join(root, "inner");
  for (const name of ["filter.evil.clean", "core.fsmonitor"]) git(inner, "config", name, `touch '${mark}' #`);
  writeFiles(inner, { "a.txt": "c\n", ".gitattributes": "* filter=evil\n" });
  const store = openSnapshots(root, tempFolder());
  const before = await store.take();
  writeFiles(inner, { "a.txt": "d\n" });
  const { files } = await compareSnapshots(store, before, await store.take());
  expect(files).toEqual([{ path: "inner/a.txt", kind: "modified" }]);
  expect(() => everything(mark)).toThrow("ENOENT");
});

test("a file that becomes a folder, a folder that becomes a file or a link, and a new repository are found", async () => {
  const root = repositoryWith({
    file: "f\n",
    "folder/one": "1\n",
    "folder/two": "2\n",
    "-odd\nname": "o\n",
    "x/y": "y\n",
  });
  const store = openSnapshots(root, tempFolder());
  const before = await store.take();
  rmSync(join(root, "file"));
  rmSync(join(root, "folder"), { recursive: true });
  writeFiles(root, { "file/inside": "i\n", folder: "now a file\n", "-odd\nname": "changed\n" });
  const elsewhere = join(tempFolder(), "x");
  renameSync(join(root, "x"), elsewhere);
  symlinkSync(elsewhere, join(root, "x"));
  renameSync(repositoryWith({ "n.txt": "n\n" }), join(root, "nested"));
  const { files } = await compareSnapshots(store, before, await store.take());
  expect(files.map(({ path, kind }) => `${kind} ${path}`).toSorted()).toEqual([
    "added file/inside",
    "added folder",
    "added nested/n.txt",
    "added x",
    "deleted file",
    "deleted folder/one",
    "deleted folder/two",
    "deleted x/y",
    "modified -odd\nname",
  ]);
});

/** Repositories that an agent leaves behind, each in a different place, and what the diff must show for them. */
const NESTED: Readonly<Record<string, readonly [(root: string, library: string) => void, readonly string[]]>> = {
  "an empty one": [(root) => git(root, "init", "-q", "empty"), []],
  "one without a commit": [
    (root) => {
      git(root, "init", "-q", "young");
      writeFiles(root, { "young/x": "x\n", "young/deep/y": "y\n" });
    },
    ["added young/deep/y", "added young/x"],
  ],
  "one with commits and changes since": [
    (root, library) => {
      cpSync(library, join(root, "grown"), { recursive: true });
      writeFiles(root, { "grown/y.txt": "y\n" });
    },
    ["added grown/library.txt", "added grown/y.txt"],
  ],
  "one inside another, both without a commit": [
    (root) => {
      git(root, "init", "-q", "outer/inner");
      git(root, "init", "-q", "outer");
      writeFiles(root, { "outer/x": "x\n", "outer/inner/y": "y\n" });
    },
    ["added outer/inner/y", "added outer/x"],
  ],
  "one in a folder of tracked files": [
    (root) => {
      git(root, "init", "-q", "folder");
      writeFiles(root, { "folder/two": "2\n" });
    },
    ["added folder/two"],
  ],
  "one in place of a file": [
    (root) => {
      rmSync(join(root, "file"));
      git(root, "init", "-q", "file");
      writeFiles(root, { "file/x": "x\n" });
    },
    ["added file/x", "deleted file"],
  ],
  "one with commits in place of a file": [
    (root, library) => {
      rmSync(join(root, "other"));
      cpSync(library, join(root, "other"), { recursive: true });
    },
    ["added other/library.txt", "deleted other"],
  ],
  "one that hides its files by its own settings": [
    (root) => {
      git(root, "init", "-q", "hiding");
      git(join(root, "hiding"), "config", "core.excludesFile", join(root, "hiding/all"));
      writeFiles(root, { "hiding/all": "*\n", "hiding/.git/info/exclude": "*\n", "hiding/x": "x\n" });
    },
    ["added hiding/all", "added hiding/x"],
  ],
  "a .git file that leads nowhere": [
    (root) => writeFiles(root, { "lost/.git": "gitdir: gone\n", "lost/x": "x\n" }),
    ["added lost/x"],
  ],
  "a .git file that leads to our own repository": [
    (root) => writeFiles(root, { "loop/.git": "gitdir: ../.git\n", "loop/x": "x\n" }),
    ["added loop/x"],
  ],
  "a work tree of our own repository": [
    (root) => git(root, "worktree", "add", "-q", "tree"),
    ["added tree/file", "added tree/folder/one", "added tree/other"],
  ],
  "a submodule that was begun anew": [
    (root) => {
      rmSync(join(root, "anew"), { recursive: true });
      git(root, "init", "-q", "anew");
      writeFiles(root, { "anew/y": "y\n" });
    },
    ["added anew/y", "deleted anew/"],
  ],
  "a submodule that was removed": [(root) => rmSync(join(root, "removed"), { recursive: true }), ["deleted removed/"]],
  "a submodule that became plain files": [
    (root) => rmSync(join(root, "plain/.git"), { recursive: true }),
    ["added plain/library.txt", "deleted plain/"],
  ],
};

test("repositories that the agent made or changed are seen as their files, also after a kill", async () => {
  const library = repositoryWith({ "library.txt": "old\n" });
  const root = repositoryWith({ file: "f\n", "folder/one": "1\n", other: "o\n" });
  const modules = ["anew", "removed", "plain"];
  for (const name of modules) cpSync(library, join(root, name), { recursive: true });
  git(root, "add", ...modules);
  git(root, "commit", "-qm", "with submodules");
  const folder = tempFolder();
  const store = openSnapshots(root, folder);
  const before = await store.take();
  for (const [make] of Object.values(NESTED)) make(root, library);
  const after = await store.take();
  const { files, patch } = await compareSnapshots(store, before, after);
  const seen = files.map(({ path, kind }) => `${kind} ${path}`);
  for (const [name, [, expected]] of Object.entries(NESTED))
    expect(seen, name).toEqual(expect.arrayContaining([...expected]));
  expect(seen).toHaveLength(Object.values(NESTED).flatMap(([, expected]) => expected).length);
  expect((await store.take()).digest).toBe(after.digest);

  const other = openSnapshots(root, folder, before);
  expect((await compareSnapshots(other, before, await other.take())).patch.equals(patch)).toBe(true);
});

test("a workspace below the top of a repository that becomes one itself is still seen", async () => {
  const below = repositoryWith({ "top.txt": "t\n" });
  const root = join(below, "sub");
  mkdirSync(root);
  const store = openSnapshots(root, tempFolder());
  const before = await store.take();
  git(root, "init", "-q");
  writeFiles(root, { x: "x\n" });
  expect((await compareSnapshots(store, before, await store.take())).status).toBe("A  ./x\n");
});
