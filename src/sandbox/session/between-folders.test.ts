import { expect, test } from "vitest";
import { betweenFolders } from "./mounts.ts";

test.each<[readonly string[], readonly string[]]>([
  [["/h/code/a/proj"], ["/h/code"]],
  [
    ["/h/code/a", "/h/code/b", "/h/other/c/d"],
    ["/h/code", "/h/other"],
  ],
  [["/h/proj"], []],
  [["/srv/proj"], []],
  [["/h/code/a/proj", "/h/code"], []],
  [["/h/code/a/proj", "/h/code/a"], ["/h/code"]],
  // Tools keep their own files in these.
  [["/h/go/src/host/proj"], ["/h/go/src"]],
  [["/h/go/proj"], []],
  [["/h/.cache/proj"], []],
  [["/h/.agent/worktrees/proj"], ["/h/.agent/worktrees"]],
  [["/h/sdk/proj"], []],
])("the folders between a home and %j are %j", (roots, folders) => {
  expect(betweenFolders("/h", roots, ["/h/sdk", "/h/code/tools"])).toEqual(folders);
});
