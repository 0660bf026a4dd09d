import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBoard } from "../src/board/read-board.ts";
import { watchBoard } from "../src/board/watch-board.ts";
import { newEvent } from "../src/contract/agent-event.ts";
import { finalReceipt } from "../src/receipts/seal/canonical-receipt.ts";
import { storeReceipt } from "../src/receipts/seal/store-receipt.ts";
import { createRunLog } from "../src/receipts/run/run-log.ts";
import { sampleFacts, sampleReceipt } from "../test/support/sample-receipt.ts";
import type { Suite } from "./suite.ts";

/** The first look at homes with ever more runs and receipts, the looks after it, and an event until it is on the board. */
export const board: Suite = async ({ quick }) => {
  const sizes = quick ? [10, 100, 1000] : [10, 100, 1000, 10_000];
  const results = [];
  for (const size of sizes) results.push(await measured(size, quick ? 3 : 7));
  const rows = results.map(({ size, firstMs, nextMs, eventMs, heapMb }) => ({
    runs: size,
    "first board, ms": firstMs,
    "each look after it, ms": nextMs,
    "an event on the board, ms": eventMs,
    "heap, MB": heapMb,
  }));
  const [last, before] = [results.at(-1), results.at(-2)];
  const exponent =
    last === undefined || before === undefined
      ? 0
      : round(Math.log(last.firstMs / before.firstMs) / Math.log(last.size / before.size));
  return { rows, result: { suite: "board", results, exponent, added: { exponent, results } } };
};

async function measured(size: number, rounds: number) {
  const home = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    for (let count = 0; count < size; count++) anEndedRun(home, count);
    const first = median(rounds, () => void openBoard(home).read());
    const reader = openBoard(home);
    reader.read();
    const next = median(rounds, () => void reader.read());
    const eventMs = await untilSeen(home, rounds);
    return {
      size,
      firstMs: round(first),
      nextMs: round(next),
      eventMs,
      heapMb: Math.round(process.memoryUsage().heapUsed / 1e6),
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A run as it is left on disk. Few have a receipt here, because sealing 10,000 takes long; the board reads 50. */
function anEndedRun(home: string, count: number): void {
  const id = randomUUID();
  const folder = join(home, "runs", id);
  const at = new Date(Date.now() - count * 60_000);
  mkdirSync(folder, { recursive: true });
  const header = { run_id: id, work_order_id: randomUUID(), task: "fix it", agent: "codex", mode: "pass_through" };
  const owner = { pid: 1, started: "1" };
  writeFileSync(join(folder, "run.json"), JSON.stringify({ version: 1, ...header, root: "/w", started_at: at, owner }));
  const end = { outcome: "complete", exit_code: 0, because: "", finished_at: at, receipt_sha256: "", applied_at: null };
  writeFileSync(join(folder, "closed.json"), JSON.stringify({ version: 1, ...end }));
  utimesSync(join(folder, "closed.json"), at, at);
  if (count % 10 > 0 || count >= 2000) return;
  const receipt = finalReceipt(sampleReceipt({}, id));
  storeReceipt(home, { receipt, facts: sampleFacts(), now: () => at });
}

/** From the line in a run's log to the board that has it. */
async function untilSeen(home: string, rounds: number): Promise<number> {
  const header = { run_id: randomUUID(), work_order_id: randomUUID(), task: "t", agent: "codex", root: "/w" };
  const owner = { pid: process.pid, started: "1" };
  const log = createRunLog(home, { ...header, mode: "pass_through", started_at: new Date().toISOString(), owner });
  const end = new AbortController();
  const times: number[] = [];
  let written = 0;
  const say = () => {
    written = performance.now();
    log.append({
      t: "event",
      event: newEvent({ type: "tool_call", tool_name: "Bash", input: { command: `${times.length}` } }),
    });
  };
  for await (const { entries } of watchBoard(openBoard(home), end.signal)) {
    if (written === 0) setTimeout(say, 50);
    else if (entries.some(({ why }) => why === `$ ${times.length}`)) {
      times.push(performance.now() - written);
      if (times.length === rounds) end.abort();
      else setTimeout(say, 50);
    }
  }
  return round(times.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0);
}

function median(rounds: number, work: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return times.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0;
}

const round = (value: number) => Math.round(value * 10) / 10;
