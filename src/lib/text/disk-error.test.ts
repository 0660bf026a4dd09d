import { existsSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { diskError } from "./user-error.ts";

function thrownBy(action: () => void): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

test.runIf(existsSync("/dev/full"))("a full disk is the person's to mend, and the file is named", () => {
  const error = diskError(
    thrownBy(() => writeFileSync("/dev/full", "x")),
    "elsewhere",
  );
  expect([error?.message, error?.where, error?.exitCode]).toEqual(["the disk is full", "elsewhere", 1]);
});

test("a database that has no room is the same", () => {
  using database = new DatabaseSync(":memory:");
  database.exec("PRAGMA max_page_count = 1");
  const error = diskError(thrownBy(() => database.exec("CREATE TABLE one (x); CREATE TABLE two (x)")));
  expect(error?.message).toBe("the disk is full");
});

test("every other error is left unchanged", () => {
  expect([diskError(new Error("x")), diskError(undefined), diskError(thrownBy(() => writeFileSync("/", "")))]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
