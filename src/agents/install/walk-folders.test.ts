import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempRepository } from "../../../test/support/temp-folder.ts";
import { foldersUp } from "./walk-folders.ts";

test("every folder from the start up to the root is named, and the main work tree of a linked one", () => {
  const main = tempRepository();
  const deep = join(main, "a/b");
  mkdirSync(deep, { recursive: true });
  const up = (folder: string): string[] => (folder === "/" ? ["/"] : [folder, ...up(dirname(folder))]);
  expect(new Set(foldersUp(deep, main))).toEqual(new Set(up(deep)));

  const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", [...identity, "-C", main, "commit", "-q", "--allow-empty", "-m", "x"]);
  const linked = join(tempRepository(), "linked");
  execFileSync("git", ["-C", main, "worktree", "add", "-q", linked]);
  expect(foldersUp(linked, linked)).toContain(main);
});
