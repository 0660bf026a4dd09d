import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { isTrusted, readTrust, revoke, trust } from "./trust.ts";

test("trust holds for exactly the text that was trusted, and can be taken back", () => {
  const home = tempFolder();
  trust(home, { path: "/w/.signalbox/policy.yaml", text: "a", time: "now" });
  expect(isTrusted(readTrust(home), "/w/.signalbox/policy.yaml", "a")).toBe(true);
  expect(isTrusted(readTrust(home), "/w/.signalbox/policy.yaml", "b")).toBe(false);
  expect(isTrusted(readTrust(home), "/other/.signalbox/policy.yaml", "a")).toBe(false);
  expect([revoke(home, "/w/.signalbox/policy.yaml"), revoke(home, "/w/.signalbox/policy.yaml")]).toEqual([true, false]);
  expect(readTrust(home)).toEqual([]);
});

test("a broken store trusts nothing", () => {
  const home = tempFolder();
  writeFileSync(join(home, "trust.json"), '[{"path": 1}, {');
  expect(readTrust(home)).toEqual([]);
});
