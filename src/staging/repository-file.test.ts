import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../test/support/git-repository.ts";
import { tempFolder, tempRepository } from "../../test/support/temp-folder.ts";
import { deleteFile, lookAt, removeFolders, replaceFile, writeProblem } from "./repository-file.ts";

test("a file is seen where links inside the repository lead", () => {
  const root = tempRepository();
  writeFiles(root, { "real/file": "text" });
  chmodSync(join(root, "real/file"), 0o640);
  symlinkSync("real", join(root, "folder"));
  symlinkSync("real/file", join(root, "link"));
  const seen = { path: "real/file", bytes: Buffer.from("text"), mode: 0o640, locked: undefined };
  for (const path of ["real/file", "folder/file", "link"]) expect(lookAt(root, path)).toEqual(seen);
  const absent = { bytes: undefined, mode: 0o644, locked: undefined };
  expect(lookAt(root, "folder/new/deep")).toEqual({ ...absent, path: "real/new/deep" });
  expect(lookAt(root, "folder/new")).toEqual({ ...absent, path: "real/new" });
});

test("a path that leaves the repository, or is no file, is refused with the reason", () => {
  const [root, outside] = [tempRepository(), tempFolder()];
  writeFiles(root, { file: "" });
  mkdirSync(join(root, "folder"));
  symlinkSync(outside, join(root, "out"));
  symlinkSync(".git", join(root, "inner"));
  symlinkSync("nowhere", join(root, "broken"));
  const reason = (path: string) => expect(() => lookAt(root, path));
  reason("out/x").toThrow("out is a link out of the repository");
  reason("out").toThrow("out is a link out of the repository");
  reason("inner/config").toThrow("inner is a link out of the repository");
  reason("broken").toThrow("broken is a broken link");
  reason("file/x").toThrow("file is not a folder");
  reason("folder").toThrow("it is not a file");
});

test("what the user made read-only is locked, for root too", () => {
  const root = tempRepository();
  writeFiles(root, { file: "", "closed/file": "" });
  chmodSync(join(root, "file"), 0o444);
  chmodSync(join(root, "closed"), 0o555);
  const locked = ["file", "closed/file", "closed/new"].map((path) => lookAt(root, path).locked);
  chmodSync(join(root, "closed"), 0o755);
  expect(locked).toEqual(["it is read-only", "its folder is read-only", "its folder is read-only"]);
});

test("a file is replaced with its mode kept, unless it changed since it was read", () => {
  const root = tempRepository();
  writeFiles(root, { file: "old" });
  const path = join(root, "file");
  chmodSync(path, 0o604);
  const seen = lookAt(root, "file");
  expect(replaceFile(root, seen, Buffer.from("new"))).toEqual([]);
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["new", 0o604]);
  const changed = "it changed in the meantime; run the command again";
  expect(() => replaceFile(root, seen, Buffer.from("newer"))).toThrow(changed);
  expect(() => deleteFile(root, seen)).toThrow(changed);
  expect(readFileSync(path, "utf8")).toBe("new");
  deleteFile(root, lookAt(root, "file"));
  expect(existsSync(path)).toBe(false);

  const absent = lookAt(root, "later");
  writeFileSync(join(root, "later"), "");
  expect(() => replaceFile(root, absent, Buffer.from("ours"))).toThrow(changed);
});

test("folders made for a file are named, and removed again while nobody else uses them", () => {
  const root = tempRepository();
  writeFiles(root, { "a/mine": "" });
  const made = [
    ...replaceFile(root, lookAt(root, "a/b/c/file"), Buffer.from("")),
    ...replaceFile(root, lookAt(root, "x/y/file"), Buffer.from("")),
  ].toSorted();
  expect(made).toEqual(["a/b", "a/b/c", "x", "x/y"]);
  deleteFile(root, lookAt(root, "a/b/c/file"));
  expect(removeFolders(root, made)).toEqual(["x/y", "x"]);
  deleteFile(root, lookAt(root, "x/y/file"));
  writeFiles(root, { "x/theirs": "" });
  expect(removeFolders(root, [...made, "gone"])).toEqual(["x"]);
  expect(["a/mine", "a/b", "x/y", "x/theirs"].map((path) => existsSync(join(root, path)))).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test("a write that the system refuses is told with its code, anything else in its own words", () => {
  const refused = Object.assign(new Error("EROFS: read-only file system, open '/x'"), { code: "EROFS" });
  expect(writeProblem(refused)).toBe("it cannot be written (EROFS)");
  expect(writeProblem(new Error("no space"))).toBe("no space");
});
