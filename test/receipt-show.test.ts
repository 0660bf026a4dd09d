import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { storeReceipt } from "../src/receipts/seal/store-receipt.ts";
import { sha256 } from "../src/lib/json/sha256.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { sampleFacts, sampleReceipt } from "./support/sample-receipt.ts";
import { tempFolder } from "./support/temp-folder.ts";

const FIRST = "aaaaaaaa-0000-4000-8000-000000000001";
const SECOND = "aabbbbbb-0000-4000-8000-000000000002";

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

test("a receipt file is shown, and what its seal says only if the seal is good", async () => {
  const home = tempFolder();
  for (const run of [FIRST, SECOND])
    storeReceipt(home, { receipt: sampleReceipt({}, run), facts: sampleFacts(), now: () => new Date(0) });
  const receipt = (...args: string[]) => signalbox(["receipt", ...args], { cwd: home, env: { SIGNALBOX_HOME: home } });
  const out = join(home, "their export.json");
  await receipt("export", "aaaa", "--out", out);
  const own = await receipt("show", out);
  expect([own.code, own.stderr, own.stdout]).toEqual([
    0,
    "",
    expect.stringMatching(
      /^task +go\n[\s\S]*guarded +yes: 1 allowed[\s\S]*verify +signalbox receipt verify '.*their export\.json'\n$/,
    ),
  ]);
  expect(JSON.parse((await receipt("show", out, "--json")).stdout).meta.run_id).toBe(FIRST);

  const elsewhere = { cwd: tempFolder(), env: { SIGNALBOX_HOME: tempFolder() } };
  const foreign = await signalbox(["receipt", "show", out], elsewhere);
  expect([foreign.code, foreign.stderr]).toEqual([1, "signalbox: not verified: no key to verify its seal with\n"]);
  expect(foreign.stdout).toMatch(/^task +go\n/);
  expect(foreign.stdout).not.toContain("guarded");
  const key = join(elsewhere.cwd, "theirs.pem");
  writeFileSync(key, (await signalbox(["key", "show"], { env: { SIGNALBOX_HOME: home } })).stdout);
  expect((await signalbox(["receipt", "show", out, "--key", key], elsewhere)).code).toBe(0);

  writeFileSync(out, readFileSync(out, "utf8").replace('"outcome":"complete"', '"outcome":"partial"'));
  const changed = await receipt("show", out);
  expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining("not verified: the receipt was changed")]);
  expect(changed.stdout).not.toContain("guarded");
  mkdirSync(join(home, "aabb"));
  expect((await receipt("show", "aabb")).stdout).toContain(SECOND);
});
