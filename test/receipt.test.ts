import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { sealKey } from "../src/receipts/seal/seal.ts";
import { storeReceipt } from "../src/receipts/seal/store-receipt.ts";
import type { SealFacts } from "../src/contract/seal.ts";
import { appendAnchor } from "../src/guard/audit/anchor.ts";
import { openSegment } from "../src/guard/audit/write-audit.ts";
import { PROJECT, signalbox } from "./support/run-signalbox.ts";
import { sampleFacts, sampleReceipt } from "./support/sample-receipt.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { tempFolder } from "./support/temp-folder.ts";

// Each starts the program many times.
const SLOW = { timeout: 180_000 };
const FIRST = "aaaaaaaa-0000-4000-8000-000000000001";
const SECOND = "aabbbbbb-0000-4000-8000-000000000002";
const store = (home: string, run: string, facts: Partial<SealFacts> = {}) =>
  storeReceipt(home, { receipt: sampleReceipt({}, run), facts: sampleFacts(facts), now: () => new Date(0) });

/** A home with two receipts, and the command line that uses it. */
function twoReceipts() {
  const home = tempFolder();
  store(home, FIRST);
  store(home, SECOND);
  const receipt = (...args: string[]) => signalbox(["receipt", ...args], { cwd: home, env: { SIGNALBOX_HOME: home } });
  return { home, receipt };
}

const vectors = z
  .object({ receipts: z.array(z.object({ receipt: z.string(), sha256: z.string() })) })
  .parse(JSON.parse(readFileSync(join(PROJECT, "test/fixtures/receipt-hashes.json"), "utf8"))).receipts;

test("receipt hash prints the hash of a file and nothing else", async () => {
  const folder = tempFolder();
  const file = join(folder, "receipt with a space.json");
  for (const { receipt, sha256 } of [vectors[0], vectors[20]].filter((vector) => vector !== undefined)) {
    writeFileSync(file, receipt);
    expect(await signalbox(["receipt", "hash", file])).toEqual({ code: 0, stdout: `${sha256}\n`, stderr: "" });
  }
});

test.each([
  ["is not there", undefined, "cannot read this file"],
  ["is empty", "", "is not valid JSON"],
  ["is no JSON", "secret-secret", "is not valid JSON: not valid JSON"],
  ["is cut off", '{"meta":', "is not valid JSON"],
  ["begins with a mark of its byte order", "\ufeff{}", "is not valid JSON"],
  ["is no UTF-8", Buffer.from([0x22, 0xff, 0x22]), "it is not valid UTF-8"],
  ["is nested without end", "[".repeat(100_000), "nested more than"],
  ["says a thing twice", '{"outcome":"failed","outcome":"complete"}', 'the key "outcome" appears twice'],
  ["is something else", "[1]", "not a receipt: the whole: expected object, received array"],
  ["lacks a part", '{"meta":{}}', "meta.run_id"],
])("a file that %s is refused with place and fix, and nothing of it is printed", async (_, content, why) => {
  const file = join(tempFolder(), "file");
  if (content !== undefined) writeFileSync(file, content);
  const { code, stdout, stderr } = await signalbox(["receipt", "hash", file]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(why);
  expect(stderr).toContain(`where: ${file}`);
  expect(stderr).toContain("fix: ");
  expect(stderr).not.toContain("secret-secret");
});

test("receipts are listed, shown, compared and checked by the beginning of their run's id", SLOW, async () => {
  const { receipt } = twoReceipts();
  expect((await receipt("list")).stdout).toBe(
    `2026-01-01T00:00:01.500Z  ${FIRST}  mock  complete, answered, not checked\n2026-01-01T00:00:01.500Z  ${SECOND}  mock  complete, answered, not checked\n`,
  );
  expect((await receipt("list", "--limit", "1", "--json")).stdout).toContain(SECOND);
  const shown = JSON.parse((await receipt("show", "aaaa", "--json")).stdout);
  expect(shown).toEqual(JSON.parse(JSON.stringify(sampleReceipt({}, FIRST))));
  expect((await receipt("show", "last")).stdout).toMatch(
    /^task +go\nagent +mock\n[\s\S]*guarded +yes: 1 allowed[\s\S]*verify +signalbox receipt verify aabbbbbb\n/,
  );
  expect(await receipt("diff", "aaaa", "aabb")).toEqual({
    code: 0,
    stdout: "no difference that matters; --all compares every field\n",
    stderr: "",
  });
  expect(await receipt("diff", "aaaa", "aabb", "--json")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await receipt("diff", "aaaa", "aabb", "--all")).toEqual({
    code: 1,
    stdout: `meta.run_id: "${FIRST}" → "${SECOND}"\n`,
    stderr: "",
  });
  expect(await receipt("diff", "aaaa", FIRST, "--all")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await receipt("verify", "aaaa")).stdout).toMatch(
    new RegExp(`^good: run ${FIRST}, one of 2 receipts in one unbroken chain\n.*was guarded`),
  );
});

test("a run that is not there, one of several, and no run at all are said", SLOW, async () => {
  const { receipt } = twoReceipts();
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await receipt(...args);
    return [code, stdout, stderr.split("\n")[0]];
  };
  expect(await said("show", "ffff")).toEqual([2, "", 'signalbox: no receipt for run "ffff"']);
  expect(await said("show", "last", "extra")).toEqual([2, "", "signalbox: unexpected argument 'extra'"]);
  expect(await said("show", "aa")).toEqual([2, "", 'signalbox: 2 runs start with "aa"']);
  expect(await said("show")).toEqual([2, "", "signalbox: which receipt?"]);
  expect(await said("fly")).toEqual([2, "", "signalbox: unknown subcommand 'fly'"]);
  expect(await said("verify", "ffff")).toEqual([2, "", 'signalbox: no receipt for run "ffff"']);
});

test("an empty home has no receipts and nothing wrong, and looking at it makes no key", async () => {
  const home = tempFolder();
  const receipt = (...args: string[]) => signalbox(["receipt", ...args], { cwd: home, env: { SIGNALBOX_HOME: home } });
  expect((await receipt("list")).stdout).toBe("no receipts yet\n");
  expect(await receipt("verify")).toEqual({
    code: 0,
    stdout: "good: 0 receipts, 0 bytes, one unbroken chain\n",
    stderr: "",
  });
  expect(() => readFileSync(join(home, "keys/seal.pem"))).toThrow("ENOENT");
});

test("an exported receipt is checked elsewhere with the key of its maker, and with no other", SLOW, async () => {
  const { home, receipt } = twoReceipts();
  const out = join(home, "export.json");
  expect((await receipt("export", "last", "--out", out)).code).toBe(0);
  const elsewhere = { cwd: tempFolder(), env: { SIGNALBOX_HOME: tempFolder() } };
  const key = join(elsewhere.cwd, "theirs.pem");
  writeFileSync(key, (await signalbox(["key", "show"], { env: { SIGNALBOX_HOME: home } })).stdout);

  const good = await signalbox(["receipt", "verify", out, "--key", key], elsewhere);
  expect([good.code, good.stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`sealed by key ${sealKey(home).id}\n.*was guarded`)),
  ]);
  const unknown = await signalbox(["receipt", "verify", out], elsewhere);
  expect([unknown.code, unknown.stdout]).toEqual([1, `BAD   ${out}: no key to verify its seal with\n`]);
  await signalbox(["key", "show"], elsewhere);
  const other = await signalbox(["receipt", "verify", out], elsewhere);
  expect([other.code, other.stdout]).toEqual([1, `BAD   ${out}: the seal: it names another key\n`]);

  writeFileSync(out, readFileSync(out, "utf8").replace('"outcome":"complete"', '"outcome":"partial"'));
  const changed = await signalbox(["receipt", "verify", out, "--key", key], elsewhere);
  expect([changed.code, changed.stdout]).toEqual([
    1,
    expect.stringMatching(/the receipt was changed[\s\S]*the seal is for another receipt/),
  ]);
});

test("a bare receipt is checked by its own hash", async () => {
  const { home, receipt } = twoReceipts();
  const file = join(home, "bare.json");
  const { receipt_sha256: hash, ...rest } = sampleReceipt({}, FIRST);
  writeFileSync(file, JSON.stringify({ ...rest, receipt_sha256: hash }));
  expect((await receipt("verify", file)).stdout).toBe(`good: ${hash}, without a seal\n`);
  writeFileSync(file, JSON.stringify(rest));
  expect(await receipt("verify", file)).toEqual({
    code: 1,
    stdout: `BAD   ${file}: the receipt does not state its hash\n`,
    stderr: "",
  });
});

test("a run whose calls were not all held back never counts as guarded", async () => {
  const home = tempFolder();
  const { guard } = sampleFacts();
  store(home, FIRST, { guard: { ...guard, held: false, calls_not_held: ["Bash"] } });
  store(home, SECOND, { guard: { ...guard, policy_sha256: null } });
  const verify = async (run: string) => {
    const { stdout } = await signalbox(["receipt", "verify", run, "--json"], { env: { SIGNALBOX_HOME: home } });
    return z.object({ good: z.boolean(), guarded: z.boolean() }).parse(JSON.parse(stdout));
  };
  expect([await verify(FIRST), await verify(SECOND)]).toEqual([
    { good: true, guarded: false },
    { good: true, guarded: false },
  ]);
});

test("artifacts and the audit log are part of what is checked", SLOW, async () => {
  const home = tempFolder();
  const folder = tempFolder();
  mkdirSync(join(folder, "out"));
  writeFileSync(join(folder, "out/big.txt"), "large output");
  const segment = openSegment(home, { now: () => 0, anchor: appendAnchor });
  const entry = { time: "", session: "s", agent: "a", tool: "Bash", call: "{}", cwd: "/", effects: [] };
  segment.append({ ...entry, verdict: "allow", code: "rule-allow", rules: [], policy: "p" });
  store(home, FIRST, {
    artifacts_folder: folder,
    artifacts: [{ path: "out/big.txt", sha256: createHash("sha256").update("large output").digest("hex"), size: 12 }],
    audit_head: { segment: segment.name, ...segment.head() },
  });
  segment[Symbol.dispose]();
  const verify = async (...args: string[]) => {
    const { code, stdout } = await signalbox(["receipt", "verify", ...args], { env: { SIGNALBOX_HOME: home } });
    return [code, stdout.split("\n")[0]];
  };

  expect((await verify())[0]).toBe(0);
  writeFileSync(join(folder, "out/big.txt"), "Large output");
  expect(await verify()).toEqual([1, `BAD   ${folder}/out/big.txt: the artifact was changed (run ${FIRST})`]);
  rmSync(join(folder, "out"), { recursive: true });
  expect(await verify()).toEqual([1, `GONE  ${folder}/out/big.txt: the artifact is missing (run ${FIRST})`]);
  expect((await verify("--allow-gone"))[0]).toBe(0);
  writeFileSync(segment.file, readFileSync(segment.file, "utf8").replace('"Bash"', '"Read"'));
  expect(await verify("--allow-gone")).toEqual([
    1,
    `BAD   audit/${segment.name}: record 1 does not match the seal (run ${FIRST})`,
  ]);
});

test("verifying one run judges that run and the chain, and only mentions what is wrong with others", SLOW, async () => {
  const { home, receipt } = twoReceipts();
  const folder = tempFolder();
  const THIRD = "cccccccc-0000-4000-8000-000000000003";
  store(home, THIRD, { artifacts_folder: folder, artifacts: [{ path: "x", sha256: "0".repeat(64), size: 1 }] });
  const verify = async (...args: string[]) => {
    const { code, stdout } = await receipt("verify", ...args);
    return [code, stdout.split("\n").filter((line) => /^(BAD|GONE|good|warning)/.test(line))];
  };
  const good = `good: run ${FIRST}, one of 3 receipts in one unbroken chain`;
  const gone = `GONE  ${folder}/x: the artifact is missing (run ${THIRD})`;
  const warning = (count: string) => `warning: ${count} about other runs; see with: signalbox receipt verify`;
  expect(await verify(FIRST)).toEqual([0, [good, warning("1 finding")]]);
  expect(await verify(THIRD)).toEqual([1, [gone]]);
  expect(await verify()).toEqual([1, [gone]]);
  expect(JSON.parse((await receipt("verify", FIRST, "--json")).stdout)).toMatchObject({
    good: true,
    run: FIRST,
    findings: [],
    others: [{ place: `${folder}/x`, run: THIRD }],
  });

  const changed = join(home, `receipts/${SECOND}.json`);
  writeFileSync(changed, readFileSync(changed, "utf8").replace('"outcome":"complete"', '"outcome":"partial"'));
  const bad = `BAD   ${SECOND}.json: the receipt was changed: its hash does not match the seal`;
  expect(await verify(FIRST)).toEqual([0, [good, warning("2 findings")]]);
  expect(await verify(SECOND)).toEqual([1, [bad, warning("1 finding")]]);

  const chain = join(home, "receipts/chain.jsonl");
  const [one = "", , three = ""] = readFileSync(chain, "utf8").split("\n");
  writeFileSync(chain, `${one}\n${three}\n`);
  expect((await verify(FIRST))[0]).toBe(1);
  const lost = await receipt("verify", SECOND);
  expect([lost.code, lost.stderr.split("\n")[0]]).toEqual([1, `signalbox: no receipt for run "${SECOND}"`]);
  expect(lost.stdout).toContain("BAD   chain.jsonl, seal 2: seal 2 is missing before seal 3");
});

test("what happens to the files of a store on disk makes verify fail and say where", SLOW, async () => {
  const { home, receipt } = twoReceipts();
  const random = seededRandom(3);
  const files = ["receipts/chain.jsonl", `receipts/${FIRST}.json`, `receipts/${SECOND}.json`, "heads/receipts.json"];
  for (const name of files) {
    const path = join(home, name);
    const bytes = readFileSync(path);
    const changed = Buffer.from(bytes);
    const at = Math.floor(random() * bytes.length);
    changed[at] = (changed[at] ?? 0) ^ 1;
    writeFileSync(path, changed);
    const { code, stdout } = await receipt("verify");
    expect([code, stdout]).toEqual([1, expect.stringContaining(`BAD   ${name.replace(/^receipts\//, "")}`)]);
    writeFileSync(path, bytes);
  }
  appendFileSync(join(home, "receipts/chain.jsonl"), "{}\n");
  expect((await receipt("verify")).stdout).toContain("BAD   chain.jsonl, seal 3: it is not a seal");
  rmSync(dirname(join(home, files[0] ?? "")), { recursive: true });
  expect((await receipt("verify")).stdout).toBe(
    "BAD   chain.jsonl, seal 1: the head counts 2 seals, but there are 0\n",
  );
  rmSync(join(home, "keys"), { recursive: true });
  expect((await receipt("verify")).stdout).toBe(
    "BAD   keys/seal.pem: the key is missing, so no seal can be verified\n",
  );
});

test("runs that are stored while the store is checked raise no false alarm", SLOW, async () => {
  const { home, receipt } = twoReceipts();
  const checks = [receipt("verify"), receipt("verify"), receipt("verify")];
  const stored = (async () => {
    for (let run = 0; run < 100; run++) {
      storeReceipt(home, { receipt: sampleReceipt(), facts: sampleFacts(), now: () => new Date(0) });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  for (const check of checks) expect((await check).stdout).toMatch(/^good: /);
  await stored;
});

test("what was left in the place of a receipt that is being stored is told", async () => {
  const { home, receipt } = twoReceipts();
  writeFileSync(join(home, "heads/receipts.pending"), "rubbish");
  const { code, stdout } = await receipt("verify");
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^BAD {3}.*heads\/receipts\.pending: /)]);
});
