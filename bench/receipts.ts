import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalReceipt, finalReceipt } from "../src/receipts/seal/canonical-receipt.ts";
import { sha256 } from "../src/lib/json/sha256.ts";
import { findReceipt, listReceipts, pickRun } from "../src/receipts/seal/find-receipt.ts";
import { sealKey } from "../src/receipts/seal/seal.ts";
import { readStore, storeReceipt } from "../src/receipts/seal/store-receipt.ts";
import { verifyStore } from "../src/receipts/seal/verify-store.ts";
import { parseExactJson } from "../src/lib/json/exact-json.ts";
import { sampleFacts, sampleReceipt } from "../test/support/sample-receipt.ts";
import type { Suite } from "./suite.ts";

const EVENTS = 2000;

/** Storing receipts with 2,000 events each, hashing one, and checking the whole store beside a bare SHA-256 of its bytes. */
export const receipts: Suite = async ({ quick }) => {
  const home = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    const [count, rounds] = quick ? [10, 3] : [50, 7];
    const closed = Array.from({ length: count }, (_, run) => finalReceipt({ ...sampleReceipt(), trace: events(run) }));
    const storeMs = timed(() => {
      for (const receipt of closed) storeReceipt(home, { receipt, facts: sampleFacts(), now: () => new Date() });
    });
    const text = canonicalReceipt(closed[0]);
    const hashMs = best(rounds, () => canonicalReceipt(parseExactJson(text)));
    const [view, key] = [readStore(home), sealKey(home)];
    let bytes = 0;
    const verifyMs = best(rounds, () => ({ bytes } = verifyStore(view, key)));
    const floorMs = best(rounds, () => view.names.map((name) => sha256(view.read(name) ?? "")));
    const perSecond = (amount: number, ms: number) => Math.round(amount / 1e6 / (ms / 1000));
    const growth = (quick ? [100, 300] : [100, 1000, 10_000]).map((size) => grown(size, rounds));
    const result = {
      growth,
      receipts: count,
      megabytes: Math.round(bytes / 1e6),
      verifyMBs: perSecond(bytes, verifyMs),
      bareSha256MBs: perSecond(bytes, floorMs),
      hashMBs: perSecond(text.length, hashMs),
      storeMsEach: Math.round((storeMs / count) * 10) / 10,
    };
    return {
      rows: [
        { measure: `verify ${count} receipts of ${EVENTS} events, MB/s`, value: result.verifyMBs },
        { measure: "bare SHA-256 of the same files, MB/s", value: result.bareSha256MBs },
        { measure: "canonical form from JSON text, MB/s", value: result.hashMBs },
        { measure: "seal and store one receipt, ms", value: result.storeMsEach },
        ...growth.flatMap(({ size, showMs, scanMs, verifyMs: wholeMs, storeMs: oneMs }) => [
          { measure: `of ${size} receipts: find one by its id, ms`, value: showMs },
          { measure: `of ${size} receipts: find one by reading the whole chain, ms`, value: scanMs },
          { measure: `of ${size} receipts: verify all, ms`, value: wholeMs },
          { measure: `of ${size} receipts: seal and store one more, ms`, value: oneMs },
        ]),
      ],
      result,
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

/** What a store of `size` small receipts costs. On a disk in memory, so that it is our work and not the disk's. */
function grown(size: number, rounds: number) {
  const home = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "signalbox-bench-"));
  const add = () => {
    const receipt = sampleReceipt();
    storeReceipt(home, { receipt, facts: sampleFacts(), now: () => new Date() });
    return receipt.meta.run_id;
  };
  try {
    const ids = Array.from({ length: size }, add);
    const id = ids[Math.floor(size / 2)] ?? "";
    findReceipt(home, id);
    const showMs = best(rounds, () => void findReceipt(home, id));
    const scanMs = best(Math.min(rounds, 3), () => void pickRun(listReceipts(home), id));
    const verifyMs = best(1, () => void verifyStore(readStore(home), sealKey(home)));
    const storeMs = best(rounds, () => void add());
    return {
      size,
      showMs: tenths(showMs),
      scanMs: tenths(scanMs),
      verifyMs: tenths(verifyMs),
      storeMs: tenths(storeMs),
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const tenths = (ms: number) => Math.round(ms * 10) / 10;

/** The shortest of some rounds, for work that can be done again. */
const best = (rounds: number, work: () => void) => Math.min(...Array.from({ length: rounds }, () => timed(work)));

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function events(run: number) {
  return Array.from({ length: EVENTS }, (_, index) => ({
    ts: new Date(index).toISOString(),
    type: "tool_result" as const,
    tool_name: "Bash",
    tool_use_id: `${run}-${index}`,
    output: { text: `line ${index} of what a tool printed, `.repeat(8), took: 0.25 },
    is_error: false,
  }));
}
