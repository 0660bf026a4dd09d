import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, repositoryWith, writeFiles } from "../../test/support/git-repository.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { mergeChanges } from "./merge-changes.ts";
import { openSnapshots } from "./snapshot.ts";

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join("");
const edited = (text: string, from: string, to: string) => text.replace(`${from}\n`, `${to}\n`);

/** A workspace and a copy of it with the same files, changed apart and then merged. */
async function merged(
  files: Readonly<Record<string, string | Buffer>>,
  { here, there }: { readonly here: (root: string) => void; readonly there: (root: string) => void },
  objection: (change: { readonly path: string }) => string | undefined = () => undefined,
) {
  const [workspace, copy, folder] = [repositoryWith(files), repositoryWith(files), tempFolder()];
  const store = openSnapshots(copy, join(tempFolder(), "store"));
  const before = await store.take({ exact: true });
  here(workspace);
  there(copy);
  const untouched = git(workspace, "ls-files", "--stage") + git(workspace, "stash", "list");
  const after = await store.take({ exact: true });
  const report = await mergeChanges({ workspace, store, before, after, folder, objection });
  expect(git(workspace, "ls-files", "--stage") + git(workspace, "stash", "list")).toBe(untouched);
  const conflicts = report.conflicts.map(({ path, because }) => `${path}: ${because}`);
  const read = (name: string) => readFileSync(join(workspace, name), "utf8");
  return { workspace, folder, report, merged: report.merged, conflicts, read };
}

test("changes to different files and different lines come together", async () => {
  const {
    merged: paths,
    conflicts,
    read,
    workspace,
  } = await merged(
    { "a.txt": LINES, "b.txt": "b\n", "gone.txt": "g\n", "old/name.txt": LINES, "keep.txt": "k\n" },
    {
      here: (root) => writeFiles(root, { "a.txt": edited(LINES, "line 2", "ours"), "mine.txt": "m\n" }),
      there(root) {
        writeFiles(root, { "a.txt": edited(LINES, "line 18", "theirs"), "new/deep/c.txt": "c\n" });
        rmSync(join(root, "gone.txt"));
        git(root, "mv", "old/name.txt", "renamed.txt");
        git(root, "commit", "-qam", "sub-agents may commit");
      },
    },
  );
  expect(conflicts).toEqual([]);
  expect(paths.toSorted()).toEqual(["a.txt", "gone.txt", "new/deep/c.txt", "old/name.txt", "renamed.txt"]);
  expect(read("a.txt")).toBe(edited(edited(LINES, "line 2", "ours"), "line 18", "theirs"));
  expect([read("new/deep/c.txt"), read("renamed.txt"), read("mine.txt")]).toEqual(["c\n", LINES, "m\n"]);
  expect(["gone.txt", "old"].map((name) => existsSync(join(workspace, name)))).toEqual([false, false]);
});

test("a conflict leaves the file as it is, and keeps both other versions", async () => {
  const { report, folder, read } = await merged(
    { "src/a.txt": LINES },
    {
      here: (root) => writeFiles(root, { "src/a.txt": edited(LINES, "line 5", "ours") }),
      there: (root) => writeFiles(root, { "src/a.txt": edited(LINES, "line 5", "theirs") }),
    },
  );
  const [theirs, base] = [join(folder, "theirs/src/a.txt"), join(folder, "base/src/a.txt")];
  const because = "both sides changed the same lines, or it is not text";
  expect(report).toEqual({ merged: [], conflicts: [{ path: "src/a.txt", because, theirs, base }] });
  expect(read("src/a.txt")).toBe(edited(LINES, "line 5", "ours"));
  expect([readFileSync(theirs, "utf8"), readFileSync(base, "utf8")]).toEqual([
    edited(LINES, "line 5", "theirs"),
    LINES,
  ]);
});

test("deleted on one side and changed on the other, created on both, binary, and a renamed file are conflicts", async () => {
  const {
    merged: paths,
    conflicts,
    read,
  } = await merged(
    { "a.txt": "a\n", "b.txt": "b\n", "pic.png": Buffer.from([0, 1, 2]), "moved.txt": LINES },
    {
      here(root) {
        rmSync(join(root, "a.txt"));
        writeFiles(root, { "b.txt": "ours\n", "n.txt": "ours\n", "pic.png": Buffer.from([0, 9, 2]), same: "s" });
        writeFiles(root, { "moved.txt": edited(LINES, "line 3", "ours") });
      },
      there(root) {
        rmSync(join(root, "b.txt"));
        writeFiles(root, { "a.txt": "theirs\n", "n.txt": "theirs\n", "pic.png": Buffer.from([0, 1, 9]), same: "s" });
        git(root, "mv", "moved.txt", "elsewhere.txt");
      },
    },
  );
  expect(conflicts.toSorted()).toEqual([
    "a.txt: it was changed there and deleted here",
    "b.txt: it was deleted there and changed here",
    "moved.txt: it was deleted there and changed here",
    "n.txt: it was created on both sides, with different content",
    "pic.png: both sides changed the same lines, or it is not text",
  ]);
  expect([paths.toSorted(), read("b.txt"), read("elsewhere.txt")]).toEqual([
    ["elsewhere.txt", "same"],
    "ours\n",
    LINES,
  ]);
});

test("modes and links are merged, and a file may take the place of a folder", async () => {
  const {
    merged: paths,
    conflicts,
    read,
    workspace,
  } = await merged(
    { "run.sh": LINES, "plain.txt": "p\n", "place/x.txt": "x\n" },
    {
      here: (root) => writeFiles(root, { "run.sh": edited(LINES, "line 1", "ours") }),
      there(root) {
        chmodSync(join(root, "run.sh"), 0o755);
        rmSync(join(root, "plain.txt"));
        symlinkSync("run.sh", join(root, "plain.txt"));
        rmSync(join(root, "place"), { recursive: true });
        writeFiles(root, { place: "a file now\n" });
      },
    },
  );
  expect([conflicts, paths.toSorted()]).toEqual([[], ["place", "place/x.txt", "plain.txt", "run.sh"]]);
  expect([read("run.sh"), statSync(join(workspace, "run.sh")).mode & 0o100]).toEqual([
    edited(LINES, "line 1", "ours"),
    0o100,
  ]);
  expect([readlinkSync(join(workspace, "plain.txt")), read("place")]).toEqual(["run.sh", "a file now\n"]);
});

test("nothing is written through a link that has come into the workspace", async () => {
  const outside = tempFolder();
  const { conflicts, workspace } = await merged(
    { "folder/x.txt": "x\n" },
    {
      here(root) {
        rmSync(join(root, "folder"), { recursive: true });
        symlinkSync(outside, join(root, "folder"));
      },
      there: (root) => writeFiles(root, { "folder/x.txt": "theirs\n", "folder/y.txt": "y\n" }),
    },
  );
  const because = "it could not be written: folder is not a folder any more";
  expect(conflicts).toEqual([`folder/x.txt: ${because}`, `folder/y.txt: ${because}`]);
  expect([lstatSync(join(workspace, "folder")).isSymbolicLink(), existsSync(join(outside, "y.txt"))]).toEqual([
    true,
    false,
  ]);
});

test("what must not be changed, ignored files and repositories inside are left out, the first and last with a reason", async () => {
  const { merged: paths, conflicts } = await merged(
    { ".gitignore": "*.log\n" },
    {
      here: () => {},
      there(root) {
        writeFiles(root, { ".github/workflows/x.yml": "x", "a.log": "l", "ok.txt": "o" });
        mkdirSync(join(root, "inner"));
        git(join(root, "inner"), "init", "-q");
        writeFiles(root, { "inner/x.txt": "x" });
      },
    },
    ({ path }) => (path.startsWith(".github") ? "it is protected" : undefined),
  );
  expect([paths, conflicts]).toEqual([
    ["ok.txt"],
    ["inner/: it is a repository of its own", ".github/workflows/x.yml: it is protected"],
  ]);
});

test("odd names come through byte for byte", async () => {
  const names = ["with space.txt", "é\u2028.txt", "-dash", "quote'\".txt", "new\nline"];
  const here = () => {};
  const there = (root: string) => writeFiles(root, Object.fromEntries(names.map((name) => [name, name])));
  const { merged: paths, read, conflicts } = await merged({ "a.txt": "a\n" }, { here, there });
  expect([conflicts, paths.toSorted(), names.map(read)]).toEqual([[], names.toSorted(), names]);
});

const windows = (text: string) => text.replaceAll("\n", "\r\n");

test.each([
  ["lines that end as they did", LINES, (text: string) => text],
  ["a copy in which git changed the line ends", LINES, windows],
  ["a copy in which git changed them the other way", windows(LINES), (text: string) => text.replaceAll("\r", "")],
])("changes to different lines come together: %s", async (_, start, converted) => {
  const ends = start.includes("\r") ? "\r\n" : "\n";
  const { read, conflicts } = await merged(
    { "a.txt": start },
    {
      here: (root) => writeFiles(root, { "a.txt": converted(start).replace("line 2", "ours") }),
      there: (root) => writeFiles(root, { "a.txt": start.replace(`line 18${ends}`, `theirs${ends}`) }),
    },
  );
  const both = start.replace("line 2", "ours").replace("line 18", "theirs");
  expect([conflicts, read("a.txt")]).toEqual([[], converted(both)]);
});

test("a file with CRLF that git stores without is merged with CRLF", async () => {
  const text = windows(LINES);
  const { read, conflicts } = await merged(
    { ".gitattributes": "* text=auto\n", "a.txt": text },
    { here: () => {}, there: (root) => writeFiles(root, { "a.txt": text.replace("line 3\r", "THREE\r") }) },
  );
  expect([conflicts, read("a.txt")]).toEqual([[], text.replace("line 3\r", "THREE\r")]);
});
