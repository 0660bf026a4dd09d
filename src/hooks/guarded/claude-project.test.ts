import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder, tempRepository } from "../../../test/temp-folder.ts";
import { projectSettings } from "./claude-project.ts";

const look = (workspace: string) => {
  const folders = { folder: tempFolder(), home: tempFolder(), wrapper: "hook", binary: "claude" };
  const start = { flags: [], env: {}, cwd: workspace, interactive: false, warn: () => {} };
  return projectSettings({ ...folders, ...start, workspace, trusts: () => false }).leftOut;
};

test("a .claude below the top that is a link counts as one that is a folder", () => {
  const workspace = tempRepository();
  mkdirSync(join(workspace, "below/other"), { recursive: true });
  mkdirSync(join(workspace, "texts"));
  expect(look(workspace)).toBe(false);
  symlinkSync("../texts", join(workspace, "below/.claude"));
  expect(look(workspace)).toBe(true);
});
