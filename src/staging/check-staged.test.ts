import { writeFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../test/support/git-repository.ts";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { checkEntry, checkStaged } from "./check-staged.ts";

async function staged() {
  const [root, HOME] = [tempRepository(), tempFolder()];
  const home = join(HOME, ".signalbox");
  writeFiles(root, { ".signalbox/agents/owl.md": "Hoot.\n" });
  expect((await signalbox(["stage", "claude", "copilot"], { cwd: root, env: { HOME } })).code).toBe(0);
  const faults = () =>
    checkStaged({ root, home, env: {}, agents: ["claude", "copilot"], required: false, xpia: false });
  return { root, faults };
}

test("what was just staged has no fault, and a file that is gone is one of its agent", async () => {
  const { root, faults } = await staged();
  expect(faults()).toEqual([]);
  rmSync(join(root, ".claude/agents/owl.md"));
  expect(faults()).toEqual([
    { agent: "claude", surface: "agents", place: ".claude/agents/owl.md", because: "it is missing or stale" },
  ]);
});

test("a file that cannot take ours is a fault of each hook that it lacks", async () => {
  const { root, faults } = await staged();
  writeFileSync(join(root, ".claude/settings.json"), "{ broken");
  const found = faults();
  expect(found.map(({ event }) => event)).toEqual(expect.arrayContaining(["PreToolUse", "Stop", "SessionStart"]));
  const fault = { agent: "claude", surface: "hooks", place: ".claude/settings.json" };
  const because = expect.stringContaining("it is not valid JSON");
  expect(found).toEqual(found.map(({ event }) => ({ ...fault, event, because })));
});

test("settings that disable every hook are a fault", async () => {
  const { root, faults } = await staged();
  writeFiles(root, { ".claude/settings.local.json": '{ "disableAllHooks": true }' });
  expect(faults()).toEqual([
    {
      agent: "claude",
      surface: "hooks",
      place: ".claude/settings.local.json",
      because: "its disableAllHooks disables every hook",
    },
  ]);
});

test("the program that staged hooks call is missing on a machine where nothing was staged", () => {
  expect(checkEntry(tempFolder())).toEqual([
    {
      place: expect.any(String),
      because: "the program that staged hooks call on this machine is missing or stale",
    },
  ]);
});
