import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { emptyTrash, prunableNames, type PruneCandidate, pruneCandidates } from "./prune.ts";

const order = (home: string) => ({ home, before: 1000, dryRun: false });
const candidate = (path: string, more: Partial<PruneCandidate> = {}): PruneCandidate => ({
  what: path,
  used: 1,
  paths: [path],
  mayGo: () => undefined,
  ...more,
});

test.each([
  ["used before the time", { used: 999 }, false],
  ["used at the time", { used: 1000 }, true],
  ["with a time in the future", { used: 2e15 }, true],
  ["with a time that cannot be read", { used: Number.NaN }, true],
  ["that may be alive", { mayGo: () => "it is open" }, true],
])("something %s", (_, more, stays) => {
  const home = tempFolder();
  const path = join(home, "x");
  writeFileSync(path, "12345");
  pruneCandidates([candidate(path, more)], order(home));
  expect(existsSync(path)).toBe(stays);
});

test("a dry run counts the bytes and writes nothing", () => {
  const home = tempFolder();
  writeFiles(home, { "x/a": "12345", "x/b/c": "678" });
  const report = pruneCandidates([candidate(join(home, "x"))], { ...order(home), dryRun: true });
  expect([report.pruned[0]?.bytes, readdirSync(home)]).toEqual([8, ["x"]]);
});

test("links are removed and not followed, read-only folders are removed, and a link in place of a folder stays", () => {
  const [home, outside] = [tempFolder(), tempFolder()];
  writeFiles(outside, { "mine.txt": "mine" });
  writeFiles(home, { "x/deep/a": "1" });
  symlinkSync(outside, join(home, "x/link"));
  symlinkSync(outside, join(home, "linked"));
  chmodSync(join(home, "x/deep"), 0o500);
  pruneCandidates([candidate(join(home, "x"))], order(home));
  emptyTrash(home);
  expect([readdirSync(outside), readdirSync(home), readdirSync(join(home, "pruning"))]).toEqual([
    ["mine.txt"],
    ["linked", "pruning"],
    [],
  ]);
  expect(prunableNames(join(home, "linked"))).toEqual({
    names: [],
    kept: [{ what: "linked", because: "it is not a folder" }],
  });
});

test("nothing is moved through a link that took the place of the trash", () => {
  const [home, outside] = [tempFolder(), tempFolder()];
  writeFileSync(join(home, "x"), "1");
  mkdirSync(join(outside, "mine"));
  symlinkSync(outside, join(home, "pruning"));
  const { pruned, kept } = pruneCandidates([candidate(join(home, "x"))], order(home));
  emptyTrash(home);
  expect([pruned.length, kept.length, readdirSync(outside), existsSync(join(home, "x"))]).toEqual([
    0,
    1,
    ["mine"],
    true,
  ]);
});
