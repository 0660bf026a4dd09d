import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { asNobody } from "../../../test/support/as-nobody.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { claude } from "../../agents/claude/program.ts";
import { findBinary } from "../../agents/find-binary.ts";
import { searchPath } from "../../agents/search-path.ts";
import { isFile, isFolder } from "./find-program.ts";

/** Typical PATH entries that contain no program for us, then a good one. */
function strangePath() {
  const top = tempFolder();
  chmodSync(top, 0o755);
  const at = (name: string) => join(top, name);
  for (const name of ["shut", "good"]) mkdirSync(at(name));
  for (const folder of ["shut", "good"]) writeFileSync(join(at(folder), "claude"), "#!/bin/sh\n", { mode: 0o755 });
  chmodSync(at("good"), 0o755);
  chmodSync(join(at("good"), "claude"), 0o755);
  writeFileSync(at("file"), "");
  symlinkSync(at("loop"), at("loop"));
  symlinkSync(at("nowhere"), at("dangling"));
  chmodSync(at("shut"), 0o600);
  onTestFinished(() => chmodSync(at("shut"), 0o700));
  const strange = [at("shut"), at("file"), at("loop"), at("dangling"), at("missing"), at("x".repeat(300)), "\0"];
  return { strange, good: at("good"), path: [...strange, "", "relative", at("good")].join(":") };
}

test("what cannot be looked at is no file and no folder", () => {
  for (const folder of strangePath().strange) {
    const path = join(folder, "claude");
    const found = asNobody(() => [isFile(path), isFolder(path)]);
    expect([path, ...found]).toEqual([path, false, false]);
  }
});

test("a search passes over every folder on PATH that it may not look into, as a shell does", () => {
  const { path, good } = strangePath();
  const env = { PATH: path, HOME: "/nonexistent" };
  const agent = asNobody(() => findBinary(claude, env, ["/"]).path);
  const program = asNobody(() => searchPath("claude", { env, cwd: "/", avoid: ["/nonexistent"] }).path);
  expect([agent, program]).toEqual([join(good, "claude"), join(good, "claude")]);
});
