import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { linkHops } from "./real-path.ts";

test("a plain file is its own only station", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "file"), "");
  expect(linkHops(join(folder, ".", "file"))).toEqual([join(folder, "file")]);
});

test("links to a file and links in the place of folders are all named by where they lie", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "real/inner"), { recursive: true });
  mkdirSync(join(folder, "other"));
  writeFileSync(join(folder, "real/inner/file"), "");
  symlinkSync("inner", join(folder, "real/second"));
  symlinkSync(join(folder, "real"), join(folder, "first"));
  symlinkSync("../first/second/file", join(folder, "other/link"));
  expect(linkHops(join(folder, "other/link"))).toEqual([
    join(folder, "other/link"),
    join(folder, "first"),
    join(folder, "real/second"),
    join(folder, "real/inner/file"),
  ]);
});

test("two dots after a link lead above the folder that it leads to, as the system reads them", () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "far/away"), { recursive: true });
  writeFileSync(join(folder, "far/file"), "");
  symlinkSync("far/away", join(folder, "near"));
  expect(linkHops(`${folder}/near/../file`)).toEqual([join(folder, "near"), join(folder, "far/file")]);
});

test("links that go round, and a path with nothing behind it, are the system's own errors", () => {
  const folder = tempFolder();
  symlinkSync("round", join(folder, "round"));
  expect(() => linkHops(join(folder, "round"))).toThrowError(expect.objectContaining({ code: "ELOOP" }));
  expect(() => linkHops(join(folder, "nothing"))).toThrowError(expect.objectContaining({ code: "ENOENT" }));
});
