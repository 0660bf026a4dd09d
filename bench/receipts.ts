import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalReceipt, finalReceipt, sha256Hex } from "../src/backplane/receipts/canonical-receipt.ts";
import { sealKey } from "../src/backplane/receipts/seal-key.ts";
import { readStore, storeReceipt } from "../src/backplane/receipts/store-receipt.ts";
import { verifyStore } from "../src/backplane/receipts/verify-store.ts";
import { parseExactJson } from "../src/lib/exact-json.ts";
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
    const floorMs = best(rounds, () => view.names.map((name) => sha256Hex(view.read(name) ?? "")));
    const perSecond = (amount: number, ms: number) => Math.round(amount / 1e6 / (ms / 1000));
    const result = {
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
      ],
      result,
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

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
