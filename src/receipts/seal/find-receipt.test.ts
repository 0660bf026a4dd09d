import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sampleFacts, sampleReceipt } from "../../../test/support/sample-receipt.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { findReceipt } from "./find-receipt.ts";
import { storeReceipt } from "./store-receipt.ts";

const [FIRST, SECOND] = ["aaaa1111-0000-4000-8000-000000000001", "aaaa2222-0000-4000-8000-000000000002"] as const;

test("a receipt is found by its id, a beginning of its own, or as the last; one that was changed never", () => {
  const home = tempFolder();
  const files = [FIRST, SECOND].map((run) => {
    const receipt = sampleReceipt({}, run);
    return storeReceipt(home, { receipt, facts: sampleFacts(), now: () => new Date(0) }).file;
  });
  const found = (run: string) => findReceipt(home, run).statement.predicate.run_id;
  expect([found(FIRST), found("AAAA1"), found("aaaa22"), found("last")]).toEqual([FIRST, FIRST, SECOND, SECOND]);
  expect(() => found("aaaa")).toThrow('2 runs start with "aaaa"');
  expect(() => found("b")).toThrow('no receipt for run "b"');
  expect(() => found("")).toThrow('no receipt for run ""');
  writeFileSync(files[1] ?? "", "{}");
  expect(() => found("last")).toThrow("the receipt of this run is missing or was changed");
});
