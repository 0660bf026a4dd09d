import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Fleet, FleetSettings, Lease, NewOrder } from "../../src/fleet/port.ts";
import { tempFolder } from "./temp-folder.ts";

/** Opens a connection to a new place, and more connections to the same one. */
export type OpenPlace = () => Promise<(settings: FleetSettings) => Promise<Fleet>>;

const LEASE_MS = 1000;

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

const order = (number: number, changes: Partial<NewOrder> = {}): NewOrder => ({
  id: idOf(number),
  document: `order ${number}`,
  needs: ["agent=mock"],
  notBefore: 0,
  attempts: 3,
  ...changes,
});

const offer = (worker: string, ...meets: string[]) => ({ worker, meets: new Set(["agent=mock", ...meets]) });

type OpenTwo = (leaseMs?: number) => Promise<{ readonly one: Fleet; readonly two: Fleet }>;

/** What every place of a fleet must keep. */
export function fleetConformance(openPlace: OpenPlace): void {
  const witness: FleetSettings["witness"] = ({ id, attempt, worker }) => `lost ${id} ${attempt} ${worker}`;
  const openTwo: OpenTwo = async (leaseMs = LEASE_MS) => {
    const open = await openPlace();
    const [one, two] = [await open({ leaseMs, witness }), await open({ leaseMs, witness })];
    onTestFinished(async () => {
      await one[Symbol.asyncDispose]();
      await two[Symbol.asyncDispose]();
    });
    return { one, two };
  };
  test.each(PROMISES)("%s", async (_, check) => await check(openTwo));
}

/** Claims again and again, until a lease that nobody prolongs has run out. */
async function claimLater(fleet: Fleet, worker: string): Promise<Lease> {
  for (;;) {
    const lease = await fleet.claim(offer(worker));
    if (lease !== undefined) return lease;
    await sleep(20);
  }
}

async function leased(fleet: Fleet, worker = "w1"): Promise<Lease> {
  const lease = await fleet.claim(offer(worker));
  if (lease === undefined) throw new Error("there was nothing to claim");
  return lease;
}

const PROMISES: readonly (readonly [promise: string, check: (openTwo: OpenTwo) => Promise<void>])[] = [
  [
    "an order that is submitted again is there once, as it was first",
    async (openTwo) => {
      const { one, two } = await openTwo();
      expect(await one.submit(order(1))).toEqual({ isNew: true, document: "order 1" });
      expect(await two.submit(order(1, { document: "another" }))).toEqual({ isNew: false, document: "order 1" });
      expect((await two.list(10)).map(({ id, state, attempt }) => [id, state, attempt])).toEqual([
        [idOf(1), "ready", 0],
      ]);
      expect([await two.find(idOf(2)), await leased(one)]).toEqual([
        undefined,
        expect.objectContaining({ attempt: 1 }),
      ]);
      expect(await two.claim(offer("w2"))).toBeUndefined();
    },
  ],

  [
    "a worker gets the oldest order whose needs it meets, and none before its time",
    async (openTwo) => {
      const { one, two } = await openTwo();
      await one.submit(order(1, { needs: ["agent=mock", "label=gpu"] }));
      await one.submit(order(2, { notBefore: Date.now() + 3_600_000 }));
      await one.submit(order(3));
      await one.submit(order(4));
      expect([(await leased(two)).id, (await leased(one)).id, await one.claim(offer("w1"))]).toEqual([
        idOf(3),
        idOf(4),
        undefined,
      ]);
      expect((await one.claim(offer("w1", "label=gpu")))?.id).toBe(idOf(1));
    },
  ],

  [
    "of many who claim at once, each order goes to one",
    async (openTwo) => {
      const { one, two } = await openTwo(30_000);
      for (let number = 1; number <= 20; number++) await one.submit(order(number));
      const claimAll = async (fleet: Fleet, worker: string) => {
        const ids: string[] = [];
        for (let lease = await fleet.claim(offer(worker)); lease; lease = await fleet.claim(offer(worker)))
          ids.push(lease.id);
        return ids;
      };
      const ids = await Promise.all([claimAll(one, "w1"), claimAll(two, "w2"), claimAll(two, "w3")]);
      expect(ids.flat().toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => idOf(index + 1)));
    },
  ],

  [
    "a heartbeat keeps the lease, and exactly one receipt is accepted",
    async (openTwo) => {
      const { one, two } = await openTwo();
      await one.submit(order(1));
      const lease = await leased(one);
      for (const end = performance.now() + 2 * LEASE_MS; performance.now() < end; await sleep(LEASE_MS / 5)) {
        expect(await one.heartbeat(lease)).toEqual({ state: "held", cancel: undefined });
        expect(await two.claim(offer("w2"))).toBeUndefined();
      }
      expect(await one.complete(lease, "receipt")).toBe("accepted");
      expect(await one.complete(lease, "receipt")).toBe("accepted");
      expect(await one.complete(lease, "another")).toBe("superseded");
      expect(await one.heartbeat(lease)).toEqual({ state: "lost" });
      const accepted = await two.receipts(0);
      expect(accepted).toEqual([{ sequence: expect.any(Number), id: idOf(1), document: "receipt" }]);
      expect(await two.receipts(accepted[0]?.sequence ?? 0)).toEqual([]);
      expect(await two.find(idOf(1))).toEqual({
        id: idOf(1),
        document: "order 1",
        state: "done",
        attempt: 1,
        worker: "w1",
        cancel: undefined,
        lost: [],
      });
    },
  ],

  [
    "an order without heartbeats starts again as the next attempt, and the first comes too late",
    async (openTwo) => {
      const { one, two } = await openTwo();
      await one.submit(order(1));
      const first = await leased(one);
      const second = await claimLater(two, "w2");
      expect([second.id, second.attempt, second.document]).toEqual([first.id, 2, "order 1"]);
      expect((await two.find(first.id))?.lost).toEqual([`lost ${first.id} 1 w1`]);
      expect(await one.heartbeat(first)).toEqual({ state: "lost" });
      expect(await one.complete(first, "late")).toBe("superseded");
      expect(await two.heartbeat(second)).toEqual({ state: "held", cancel: undefined });
      expect(await two.complete(second, "receipt")).toBe("accepted");
      expect((await one.receipts(0)).map(({ document }) => document)).toEqual(["receipt"]);
    },
  ],

  [
    "a finished order whose lease has run out is accepted while nobody else has begun",
    async (openTwo) => {
      const { one, two } = await openTwo(200);
      await one.submit(order(1));
      const lease = await leased(one);
      await sleep(300);
      expect(await one.complete(lease, "receipt")).toBe("accepted");
      expect([await two.claim(offer("w2")), (await two.find(lease.id))?.lost]).toEqual([undefined, []]);
    },
  ],

  [
    "two workers with one name do not take each other's leases",
    async (openTwo) => {
      const { one, two } = await openTwo();
      await one.submit(order(1));
      const lease = await leased(one, "same#1");
      expect(await two.heartbeat({ ...lease, worker: "same#2" })).toEqual({ state: "lost" });
      expect(await two.complete({ ...lease, worker: "same#2" }, "receipt")).toBe("superseded");
      expect(await one.complete(lease, "receipt")).toBe("accepted");
    },
  ],

  [
    "an order that kills every worker is dead after its attempts, with a receipt for each",
    async (openTwo) => {
      const { one, two } = await openTwo();
      await one.submit(order(1, { attempts: 2 }));
      await one.giveUp(await leased(one), "lost 1");
      expect((await two.find(idOf(1)))?.state).toBe("ready");
      await two.giveUp(await claimLater(two, "w2"), "lost 2");
      expect(await one.find(idOf(1))).toMatchObject({ state: "dead", attempt: 2, lost: ["lost 1", "lost 2"] });
      expect([await one.claim(offer("w1")), await one.receipts(0)]).toEqual([undefined, []]);
    },
  ],

  [
    "an order is canceled before it begins, while it is in work, and not after",
    async (openTwo) => {
      const { one, two } = await openTwo();
      for (const number of [1, 2, 3]) await one.submit(order(number));
      expect(await two.cancel(idOf(1), "no need")).toBe("cancelled");
      const lease = await leased(one);
      expect([lease.id, await two.cancel(lease.id, "stop")]).toEqual([idOf(2), "asked"]);
      expect(await one.heartbeat(lease)).toEqual({ state: "held", cancel: "stop" });
      expect(await one.complete(lease, "receipt")).toBe("accepted");
      const other = await leased(one);
      await two.cancel(other.id, "stop");
      await one.giveUp(other, "lost");
      expect(await two.find(other.id)).toMatchObject({ state: "cancelled", cancel: "stop", lost: ["lost"] });
      expect(await Promise.all([1, 2, 3, 4].map((number) => two.cancel(idOf(number), "again")))).toEqual([
        "ended",
        "ended",
        "ended",
        "unknown",
      ]);
      expect(await two.claim(offer("w2"))).toBeUndefined();
    },
  ],

  [
    "a file comes back as it was, and one that is not there does not",
    async (openTwo) => {
      const { one, two } = await openTwo();
      const folder = tempFolder();
      const bytes = Buffer.alloc(300_000, "signalbox ");
      writeFileSync(join(folder, "in"), bytes);
      const blob = await one.putBlob(join(folder, "in"));
      expect(await one.putBlob(join(folder, "in"))).toEqual(blob);
      await two.getBlob(blob, join(folder, "out"));
      expect(readFileSync(join(folder, "out")).equals(bytes)).toBe(true);
      const missing = two.getBlob({ ...blob, sha256: "0".repeat(64) }, join(folder, "none"));
      await expect(missing).rejects.toThrow("is not in the store");
      await expect(two.getBlob({ ...blob, size: 5 }, join(folder, "none"))).rejects.toThrow("not what its name says");
    },
  ],

  [
    "workers say what they have and do",
    async (openTwo) => {
      const { one, two } = await openTwo();
      const worker = { name: "w1", version: "0", meets: ["agent=mock"], capacity: 2, running: [], seen: 1 };
      await one.announce(worker);
      await one.announce({ ...worker, running: [idOf(1)] });
      expect(await two.workers()).toEqual([{ ...worker, running: [idOf(1)] }]);
    },
  ],
];
