import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownFolder } from "../src/lib/process/folder-owner.ts";
import { writeFiles } from "./support/git-repository.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";

/** A home after a run, with files that a person wrote there. */
async function usedHome() {
  const [home, cwd] = [withoutSandbox(tempFolder()), tempRepository()];
  const env = { HOME: home, TMPDIR: tempFolder() };
  const folder = join(home, ".signalbox");
  const run = (...args: readonly string[]) => signalbox(args, { cwd, env });
  expect((await run("run", "mock", "hi")).code).toBe(0);
  writeFiles(folder, { "settings.yaml": "effort: low\n", "commands/fix.md": "Fix it.\n", "notes.txt": "mine\n" });
  return { home, cwd, folder, env, run, names: () => readdirSync(folder).toSorted() };
}

const EVIDENCE = ["audit", "heads", "keys", "receipts"];
const OWN = ["commands", "notes.txt", "policy.yaml", "settings.yaml"];

test("uninstall keeps what proves something, what a person wrote, and what it does not know", async () => {
  const { run, names, cwd } = await usedHome();
  const before = names();
  const shown = await run("uninstall");
  expect([shown.code, names()]).toEqual([3, before]);
  expect(shown.stdout).toMatch(/^To be removed from .*\n(?:.*\n)* .* runs +runs and their results\n/);
  expect(shown.stdout).toMatch(/^Kept, unless you pass --all:\n(?:.*\n)* .* keys +the keys that sealed them\n/m);
  expect(shown.stderr).toContain("fix: to remove what is shown: signalbox uninstall --yes");

  const dry = await run("uninstall", "--all", "--dry-run", "--json");
  expect([dry.code, names()]).toEqual([0, before]);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    dry_run: true,
    kept: [{ path: expect.stringMatching(/notes\.txt$/) }],
  });

  expect((await run("uninstall", "--yes")).code).toBe(0);
  expect(names()).toEqual([...EVIDENCE, ...OWN].toSorted());
  expect((await run("receipt", "verify")).code).toBe(0);
  expect(readdirSync(cwd)).toContain(".git");
});

test("uninstall --all leaves only what is not from signalbox, or no folder at all", async () => {
  const { run, names } = await usedHome();
  expect((await run("uninstall", "--all", "--yes")).code).toBe(0);
  expect(names()).toEqual(["notes.txt"]);
  const again = await run("uninstall", "--all", "--yes");
  expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^Nothing to remove in /)]);
});

test("a fresh home vanishes, and its name stays where it is a link", async () => {
  const [home, cwd, store] = [tempFolder(), tempFolder(), tempFolder()];
  const env = { HOME: home };
  expect((await signalbox(["key", "show"], { cwd, env })).code).toBe(0);
  expect((await signalbox(["uninstall", "--all", "--yes"], { cwd, env })).code).toBe(0);
  expect(readdirSync(home)).toEqual([]);
  mkdirSync(join(store, "signalbox"));
  symlinkSync(join(store, "signalbox"), join(home, ".signalbox"));
  expect((await signalbox(["key", "show"], { cwd, env })).code).toBe(0);
  expect((await signalbox(["uninstall", "--all", "--yes"], { cwd, env })).code).toBe(0);
  expect([readdirSync(home), readdirSync(store)]).toEqual([[".signalbox"], ["signalbox"]]);
});

test("nothing is removed while a launch still runs, and a session cannot uninstall at all", async () => {
  const { run, names, folder, cwd, env } = await usedHome();
  const launch = join(folder, "launches", "0a".repeat(16));
  mkdirSync(launch, { recursive: true });
  using _alive = ownFolder(launch);
  const before = names();
  const busy = await run("uninstall", "--all", "--yes");
  expect([busy.code, names()]).toEqual([3, before]);
  expect(busy.stderr).toMatch(/^signalbox: signalbox is still in use: launch .*: it may still be running\n/);

  const inside = await signalbox(["uninstall", "--yes"], { cwd, env: { ...env, SIGNALBOX_RUN: "x" } });
  expect([inside.code, inside.stderr, names()]).toEqual([
    3,
    expect.stringContaining("a session cannot uninstall"),
    before,
  ]);
});
