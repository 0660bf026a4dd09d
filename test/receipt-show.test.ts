import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { storeReceipt } from "../src/backplane/receipts/store-receipt.ts";
import { sha256 } from "../src/lib/sha256.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { sampleFacts, sampleReceipt } from "./support/sample-receipt.ts";
import { tempFolder } from "./support/temp-folder.ts";

test("a diff that is too large for the receipt is read from its file, and not once that was changed", async () => {
  const home = tempFolder();
  const content = "diff --git a/x b/x\n+\u001b[2J\n";
  const artifact = { path: "changes.patch", size: content.length, sha256: sha256(content) };
  writeFileSync(join(home, artifact.path), content);
  const verification = { git_diff: "the diff is in changes.patch\n", git_status: "M  x\n", harness_ok: true };
  const facts = sampleFacts({ artifacts_folder: home, artifacts: [artifact] });
  storeReceipt(home, { receipt: sampleReceipt({ verification }), facts, now: () => new Date(0) });
  const show = () => signalbox(["receipt", "show", "last", "--diff"], { cwd: home, env: { SIGNALBOX_HOME: home } });
  expect(await show()).toEqual({ code: 0, stdout: "diff --git a/x b/x\n+\\u{1b}[2J\n", stderr: "" });
  appendFileSync(join(home, artifact.path), "+more\n");
  const changed = await show();
  expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining("was changed")]);
});
