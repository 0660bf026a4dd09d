import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { clearTaint, raiseTaint, readTaint } from "./taint-store.ts";

const mark = { since: "2026-01-02T03:04:05.000Z", because: "the text gives orders to an agent" };

test("a mark stays until it is cleared, in its own session alone, and the first one counts", () => {
  const folder = tempFolder();
  expect(readTaint(folder, "s")).toBeUndefined();
  raiseTaint(folder, "s", mark);
  raiseTaint(folder, "s", { ...mark, because: "another" });
  expect([readTaint(folder, "s"), readTaint(folder, "t")]).toEqual([mark, undefined]);
  clearTaint(folder, "s");
  clearTaint(folder, "s");
  expect(readTaint(folder, "s")).toBeUndefined();
});

test("a session named like a path stays in the folder, private", () => {
  const folder = tempFolder();
  raiseTaint(folder, "../../etc/x", mark);
  const [file = ""] = readdirSync(join(folder, "taint"));
  expect([readdirSync(folder), statSync(join(folder, "taint", file)).mode & 0o777]).toEqual([["taint"], 0o600]);
});

test.each(["", "{", "[]", "{}", "null"])("a mark that holds %j still marks", (content) => {
  const folder = tempFolder();
  raiseTaint(folder, "s", mark);
  const [file = ""] = readdirSync(join(folder, "taint"));
  writeFileSync(join(folder, "taint", file), content);
  expect(readTaint(folder, "s")).toEqual({ since: "unknown", because: "the taint file cannot be read" });
});
