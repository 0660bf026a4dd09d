import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { atomicWrite } from "./atomic-write.ts";

test("the new text replaces the old, private by default, and nothing else is left", () => {
  const folder = tempFolder();
  const path = join(folder, "file");
  writeFileSync(path, "old", { mode: 0o644 });
  atomicWrite(path, "new");
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777, readdirSync(folder)]).toEqual([
    "new",
    0o600,
    ["file"],
  ]);
});

test("a write that fails leaves the old state and no temporary", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "taken/full"), { recursive: true });
  expect(() => atomicWrite(join(folder, "taken"), "new")).toThrowError();
  expect(readdirSync(folder)).toEqual(["taken"]);
});
