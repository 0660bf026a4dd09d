import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openArtifacts, takeArtifacts } from "./artifacts.ts";

test("files of the workspace are kept, and what leads out, is no file or comes after a hundred is refused", () => {
  const [root, outside, store] = [tempFolder(), tempFolder(), openArtifacts(tempFolder(), "run")];
  writeFileSync(join(root, "a.txt"), "a");
  mkdirSync(join(root, "folder"));
  writeFileSync(join(outside, "secret"), "s");
  symlinkSync(join(outside, "secret"), join(root, "link"));
  const take = (paths: readonly string[]) =>
    takeArtifacts(
      paths.map((path) => ({ kind: "k".repeat(200), path })),
      root,
      store,
    );
  expect(take(["a.txt", "folder", "link", "../x", "none", "/etc/hostname"])).toEqual([
    "folder",
    "link",
    "../x",
    "none",
    "/etc/hostname",
  ]);
  expect(store.written.map(({ kind }) => kind)).toEqual(["k".repeat(100)]);
  expect(take(Array.from({ length: 102 }, () => "a.txt"))).toEqual(["a.txt", "a.txt"]);
});
