import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { randomId } from "../lib/files/random-id.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { isMissing, messageOf } from "../lib/text/user-error.ts";
import { sealKey } from "../receipts/seal/seal.ts";
import { type AttemptEnd, type AttemptSetup, beatWhile, doAttempt, lost, refused } from "./attempt.ts";
import { readOrder, signDocument, trustedKeys, type WorkerStatus } from "./documents.ts";
import type { Fence, Lease, LostAttempt } from "./port.ts";

export interface WorkerSetup extends AttemptSetup {
  readonly name: string;
  readonly version: string;
  readonly capacity: number;
  readonly meets: () => Promise<ReadonlySet<string>>;
  readonly log: (line: string) => void;
  /** Ends once there is nothing to do, instead of waiting for more. */
  readonly isBrief: boolean;
  readonly pollMs?: number;
}

/** The signed receipt of an attempt. */
export function receiptOf(home: string, fence: Fence, end: AttemptEnd): string {
  const { id: order, attempt, worker } = fence;
  return signDocument("receipt", { order, attempt, worker, ...end, at: new Date().toISOString() }, sealKey(home));
}

/** The `lost` receipt of an attempt of any worker. */
export const witness =
  (home: string) =>
  ({ because, ...fence }: LostAttempt): string =>
    receiptOf(home, fence, lost(because));

const POLL_MS = 1000;
const ADVERTISE_MS = 10_000;

/** Takes orders and does them, until it is told to end. What has ended but could not be delivered stays in the outbox. */
export async function work(setup: WorkerSetup): Promise<void> {
  const { fleet, signal, capacity, pollMs = POLL_MS } = setup;
  const worker = `${setup.name}#${randomId().slice(0, 8)}`;
  const running = new Map<string, Promise<void>>();
  let meets = await setup.meets();
  let told = -Infinity;
  let away = false;
  while (!signal.aborted) {
    try {
      await deliver(setup);
      if (performance.now() - told > ADVERTISE_MS) {
        meets = told === -Infinity ? meets : await setup.meets();
        await fleet.announce(statusOf(setup, meets, [...running.keys()]));
        told = performance.now();
      }
      if (running.size < capacity) {
        const lease = await fleet.claim({ worker, meets });
        if (lease !== undefined) {
          const done = attempt(lease, setup).finally(() => running.delete(lease.id));
          running.set(lease.id, done);
          continue;
        }
        if (setup.isBrief && running.size === 0) break;
      }
      if (away) setup.log("the fleet can be reached again");
      away = false;
    } catch (error) {
      if (!away) setup.log(`waiting: ${messageOf(error)}`);
      away = true;
    }
    await Promise.race([sleep(pollMs, undefined, { signal }).catch(() => undefined), ...running.values()]);
  }
  await Promise.all(running.values());
  await deliver(setup).catch((error: unknown) => setup.log(`not delivered yet: ${messageOf(error)}`));
}

function statusOf(setup: WorkerSetup, meets: ReadonlySet<string>, running: readonly string[]): WorkerStatus {
  const { name, version, capacity } = setup;
  return { name, version, capacity, meets: [...meets].toSorted(), running: [...running], seen: Date.now() };
}

/** Never throws: one order must not end the worker. */
async function attempt(lease: Lease, setup: WorkerSetup): Promise<void> {
  const { home, log, fleet } = setup;
  const name = `${lease.id} attempt ${lease.attempt}`;
  try {
    log(`${name} begins`);
    const read = readOrder(lease.document, trustedKeys(home));
    const isOther = read.good && read.body.id !== lease.id;
    const end = !read.good
      ? refused(`this worker does not accept the order: ${read.because}`)
      : isOther
        ? refused("the order was submitted under another id")
        : await doAttempt(read.body, lease, setup);
    if (end === undefined) return log(`${name} has lost its lease; its agent was ended, and its receipt stays here`);
    log(`${name}: ${end.outcome}, ${end.because}`);
    await beatWhile(lease, fleet, () => keepAndDeliver(lease, end, setup));
  } catch (error) {
    log(`${name} failed: ${messageOf(error)}`);
    await fleet.giveUp(lease, receiptOf(home, lease, lost(messageOf(error)))).catch(() => undefined);
  }
}

const Kept = z.strictObject({
  fence: z.strictObject({
    id: z.string(),
    attempt: z.int(),
    worker: z.string(),
    token: z.string().optional(),
  }),
  outcome: z.enum(["ended", "refused", "lost"]),
  document: z.string(),
});

const outbox = (home: string) => join(home, "fleet", "outbox");

/** On disk first: what a worker did is not lost with its server, or with itself. */
async function keepAndDeliver(lease: Lease, end: AttemptEnd, setup: WorkerSetup): Promise<void> {
  const { id, attempt, worker, token } = lease;
  const fence = { id, attempt, worker, ...(token === undefined ? {} : { token }) };
  const kept = { fence, outcome: end.outcome, document: receiptOf(setup.home, lease, end) };
  makeFolder(outbox(setup.home));
  atomicWrite(join(outbox(setup.home), `${id}-${attempt}.json`), JSON.stringify(kept));
  await deliver(setup).catch((error: unknown) => setup.log(`${id} waits to be delivered: ${messageOf(error)}`));
}

/** Delivers what waits. What was accepted from another attempt meanwhile is kept as superseded. */
async function deliver({ home, fleet, log }: WorkerSetup): Promise<void> {
  for (const name of namesOf(outbox(home))) {
    const kept = readKept(join(outbox(home), name));
    // Two workers of one home deliver the same.
    if (kept === "gone") continue;
    if (kept !== "damaged") {
      const { fence, outcome, document } = kept;
      if (outcome === "lost") await fleet.giveUp(fence, document);
      if (outcome === "lost" || (await fleet.complete(fence, document)) === "accepted") {
        rmSync(join(outbox(home), name), { force: true });
        continue;
      }
    }
    log(`${name}: ${kept === "damaged" ? "it cannot be read" : "superseded, the order has gone on without it"}`);
    makeFolder(join(home, "fleet", "superseded"));
    renameSync(join(outbox(home), name), join(home, "fleet", "superseded", name));
  }
}

function readKept(file: string): z.infer<typeof Kept> | "gone" | "damaged" {
  try {
    return Kept.parse(parseJson(readFileSync(file, "utf8")));
  } catch (error) {
    return isMissing(error) ? "gone" : "damaged";
  }
}

function namesOf(folder: string): readonly string[] {
  makeFolder(folder);
  return readdirSync(folder).filter((name) => name.endsWith(".json"));
}
