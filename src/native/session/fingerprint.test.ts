import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lutimesSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everything, git, repositoryWith, writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { fingerprint } from "./fingerprint.ts";

const never = new AbortController().signal;

/** Fingerprints a work tree, and checks that nothing is left behind. */
async function look(workspace: string): Promise<string | undefined> {
  const privateFolder = tempFolder();
  const found = await fingerprint(workspace, privateFolder, never);
  expect(readdirSync(privateFolder)).toEqual([]);
  return found;
}

test("it changes with edits, new files, the index and commits, and with nothing else", async () => {
  const root = repositoryWith({ "a.txt": "a\n", "below/b.txt": "b\n", ".gitignore": "ignored\n" });
  const seen = [await look(root)];
  const step = async (change: () => void) => {
    change();
    seen.push(await look(root));
  };
  await step(() => writeFiles(root, { ignored: "x" }));
  expect(new Set(seen).size).toBe(1);
  git(root, "status");
  await step(() => writeFiles(root, { "below/b.txt": "c\n" }));
  await step(() => writeFiles(root, { "below/b.txt": "longer\n" }));
  await step(() => void git(root, "add", "-A"));
  await step(() => writeFiles(root, { "new.txt": "n" }));
  await step(() => void git(root, "commit", "-qm", "second"));
  await step(() => rmSync(join(root, "a.txt")));
  expect([seen.includes(undefined), new Set(seen).size]).toEqual([false, seen.length - 1]);
  expect([await look(join(root, "below")), await look(root)]).toEqual([seen.at(-1), seen.at(-1)]);
});

test("a touch without a change is none, and a change of the same size and moment is one", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  writeFiles(root, { "a.txt": "1\n", "new.txt": "1\n" });
  symlinkSync("a.txt", join(root, "link"));
  const seen = [await look(root)];
  const step = async (change: () => void) => {
    change();
    for (const name of ["a.txt", "new.txt"]) utimesSync(join(root, name), 1e9 + seen.length, 1e9);
    seen.push(await look(root));
  };
  await step(() => lutimesSync(join(root, "link"), 1, 1));
  await step(() => writeFiles(root, { "a.txt": "1\n" }));
  expect(new Set(seen).size).toBe(1);
  await step(() => writeFiles(root, { "a.txt": "2\n" }));
  await step(() => writeFiles(root, { "new.txt": "2\n" }));
  await step(() => chmodSync(join(root, "new.txt"), 0o755));
  await step(() => {
    rmSync(join(root, "link"));
    symlinkSync("b.txt", join(root, "link"));
  });
  expect(new Set(seen).size).toBe(5);
});

test("more than is worth reading is known by its size and when it was touched, as is what cannot be read", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  writeFiles(root, { "large.bin": "", "closed.txt": "x" });
  chmodSync(join(root, "closed.txt"), 0);
  truncateSync(join(root, "large.bin"), 2 ** 31);
  execFileSync("mkfifo", [join(root, "pipe")]);
  const before = await look(root);
  utimesSync(join(root, "large.bin"), 1, 1);
  const after = await look(root);
  expect([typeof before, after === before, after === (await look(root))]).toEqual(["string", false, true]);
});

test("there is none without git, and one before the first commit", async () => {
  expect(await look(tempFolder())).toBeUndefined();
  const root = tempRepository();
  const before = await look(root);
  writeFiles(root, { "a.txt": "a\n" });
  expect([typeof before, (await look(root)) === before]).toEqual(["string", false]);
});

test("an interruption ends the look", async () => {
  const [workspace, privateFolder] = [repositoryWith({ "a.txt": "a\n" }), tempFolder()];
  expect(await fingerprint(workspace, privateFolder, AbortSignal.abort())).toBeUndefined();
  expect(readdirSync(privateFolder)).toEqual([]);
});

/** Repository settings that make git start a program. */
const PROGRAMS = [
  "filter.x.clean",
  "filter.x.process",
  "filter.x.smudge",
  "core.fsmonitor",
  "core.sshCommand",
  "core.pager",
  "core.editor",
  "core.askPass",
  "core.alternateRefsCommand",
  "credential.helper",
  "diff.external",
  "diff.x.textconv",
  "diff.x.command",
  "merge.x.driver",
  "gpg.program",
  "alias.status",
  "remote.origin.uploadpack",
  "submodule.inner.update",
];

function hostile(root: string, program: string): void {
  for (const name of PROGRAMS) git(root, "config", name, name === "submodule.inner.update" ? `!${program}` : program);
  const hooks = join(root, git(root, "rev-parse", "--git-path", "hooks").trim());
  rmSync(hooks, { recursive: true, force: true });
  writeFiles(root, { ".gitattributes": "* filter=x diff=x merge=x\n" });
  const all = "post-index-change pre-auto-gc reference-transaction post-checkout fsmonitor-watchman".split(" ");
  git(root, "config", "core.hooksPath", join(program, "../hooks"));
  writeFiles(program.replace(/[^/]+$/, ""), { "hooks/none": "" });
  for (const name of all)
    if (!existsSync(join(program, "../hooks", name))) symlinkSync(program, join(program, "../hooks", name));
}

test("no setting of the repository or of a submodule starts a program", async () => {
  const library = repositoryWith({ "a.txt": "a\n" });
  const root = repositoryWith({ "a.txt": "a\n" });
  git(root, "submodule", "--quiet", "add", library, "inner");
  git(root, "commit", "-qm", "with a submodule");
  const place = tempFolder();
  const [program, mark] = [join(place, "program"), join(place, "ran")];
  writeFileSync(program, `#!/bin/sh\necho "$@" >> '${mark}'\ncat\n`);
  chmodSync(program, 0o755);
  for (const folder of [root, join(root, "inner")]) {
    hostile(folder, program);
    // The same size, so that only the content differs.
    writeFiles(folder, { "a.txt": "b\n" });
  }
  const untouched = everything(join(root, ".git"));
  expect(typeof (await look(root))).toBe("string");
  expect([existsSync(mark), everything(join(root, ".git"))]).toEqual([false, untouched]);
});

test("a commit that is missing is not fetched by a program of the repository's choice", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const place = tempFolder();
  const mark = join(place, "ran");
  writeFileSync(join(place, "program"), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  const settings = {
    "core.repositoryFormatVersion": "1",
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    "remote.origin.url": place,
    "remote.origin.uploadpack": join(place, "program"),
    "protocol.file.allow": "always",
  };
  for (const [name, value] of Object.entries(settings)) git(root, "config", name, value);
  const head = git(root, "rev-parse", "HEAD").trim();
  rmSync(join(root, ".git/objects", head.slice(0, 2), head.slice(2)));
  await look(root);
  expect(existsSync(mark)).toBe(false);
});
