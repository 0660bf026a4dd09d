import { expect, test } from "vitest";
import { storeReceipt } from "../src/receipts/seal/store-receipt.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { sampleFacts, sampleReceipt } from "./support/sample-receipt.ts";
import { tempFolder } from "./support/temp-folder.ts";

test("the id of the run in the trace is not a difference between two runs", async () => {
  const home = tempFolder();
  const runs = ["aaaaaaaa-0000-4000-8000-000000000000", "bbbbbbbb-0000-4000-8000-000000000000"];
  for (const run of runs) {
    const start = { ts: "2026-01-01T00:00:00.000Z", type: "run_started", message: "go", ext: { run_id: run } } as const;
    const receipt = sampleReceipt({ trace: [start] }, run);
    storeReceipt(home, { receipt, facts: sampleFacts(), now: () => new Date(0) });
  }
  const diff = await signalbox(["receipt", "diff", ...runs, "--json"], { env: { SIGNALBOX_HOME: home } });
  expect(diff).toEqual({ code: 0, stdout: "", stderr: "" });
});
