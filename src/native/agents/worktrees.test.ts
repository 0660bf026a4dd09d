import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { workCounter } from "../../contract/work-metrics.ts";
import { openWorktrees } from "./worktrees.ts";

/** A workspace with one file, about which there is a conflict. */
async function conflictIn(path: string) {
  const workspace = tempFolder();
  const write = (text: string) => writeFileSync(join(workspace, path), text);
  write("ours\n");
  const worktrees = openWorktrees(workspace, 2);
  const conflict = { path, because: "both sides changed the same lines, or it is not text" };
  await worktrees.merge(async () => ({ merged: [], conflicts: [conflict] }));
  const { signal } = new AbortController();
  const { metrics, recent } = workCounter();
  const step = { history: [], blocked: 0, metrics, recent, signal };
  const isOpen = async (text: string) => (await worktrees.gate.check({ ...step, text })) !== undefined;
  return { worktrees, write, isOpen };
}

test.each([
  ["a", "All done, what a day", true],
  ["a", "`a` is right as it is", false],
  ["a.txt", "data.txt is done", true],
  ["a.txt", "see src/a.txt and a.txt.bak", true],
  ["a.txt", "I kept a.txt.", false],
  ["a.txt", "see (./a.txt)", false],
  ["Makefile", "Makefile is right as it is", false],
])("a conflict in %s after the answer %j is open: %s", async (path, text, open) => {
  const { isOpen } = await conflictIn(path);
  expect(await isOpen(text)).toBe(open);
});

test("the merge of another sub-agent does not resolve a conflict, but a change before it does", async () => {
  const left = await conflictIn("a.txt");
  const merges = async ({ worktrees, write }: typeof left) =>
    await worktrees.merge(async () => {
      write("of a third one\n");
      return { merged: ["a.txt"], conflicts: [] };
    });
  await merges(left);
  expect(await left.isOpen("done")).toBe(true);
  left.write("put together\n");
  expect(await left.isOpen("done")).toBe(false);
  const resolved = await conflictIn("a.txt");
  resolved.write("put together\n");
  await merges(resolved);
  expect(await resolved.isOpen("done")).toBe(false);
});
