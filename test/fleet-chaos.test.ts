import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openFleet } from "../src/fleet/open-fleet.ts";
import { trustedKeys } from "../src/fleet/documents.ts";
import { verifyReceipt } from "../src/fleet/results.ts";
import { begun, fleetScene, isGone, killed } from "./support/fleet-scene.ts";
import { natsProgram, startNats } from "./support/nats-server.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { tempFolder } from "./support/temp-folder.ts";

/** 300 with `SIGNALBOX_TEST_FLEET_ORDERS=300 npx vitest run --project slow test/fleet-chaos.test.ts`. */
const ORDERS = Number(process.env["SIGNALBOX_TEST_FLEET_ORDERS"] ?? 12);
const SEED = Number(process.env["SIGNALBOX_TEST_SEED"] ?? 20_261_119);
const USERS = ["one", "two", "three"];

test.skipIf(natsProgram === undefined || !existsSync("/proc/self"))(
  `${ORDERS} orders while workers and the server are killed and stopped: none is lost, none is accepted twice`,
  { timeout: 60_000 + ORDERS * 15_000 },
  async () => {
    const server = await startNats();
    const { submit, startWorker, trust, home } = fleetScene(server.address);
    for (const user of USERS) for (const other of USERS) if (user !== other) await trust(user, other);
    for (const user of USERS) {
      await trust("me", user);
      await trust(user, "me");
    }
    const folder = tempFolder();
    const script = [{ bash: `echo $$ >> ${folder}/begun; sleep 0.3` }, { write: "b.txt", content: "new\n" }];
    const ids: string[] = [];
    for (let number = 0; number < ORDERS; number++)
      ids.push(await submit(script, "--key", `order ${number}`, "--attempts", "10"));
    const workers = new Map(USERS.map((user) => [user, startWorker(user)]));

    const signalboxHome = join(home("me"), ".signalbox");
    const look = async () => {
      await using fleet = await openFleet(signalboxHome, { SIGNALBOX_FLEET: server.address });
      return { orders: await fleet.list(ORDERS + 1), receipts: await fleet.receipts(0) };
    };
    const random = seededRandom(SEED);
    const pick = () => USERS[Math.floor(random() * USERS.length)] ?? "one";
    const DISTURB = [
      async () => {
        const user = pick();
        const worker = workers.get(user);
        if (worker !== undefined) await killed(worker.child);
        workers.set(user, startWorker(user));
      },
      async () => {
        const worker = workers.get(pick());
        worker?.child.kill("SIGSTOP");
        await sleep(2000 + random() * 3000);
        worker?.child.kill("SIGCONT");
      },
      async () => {
        await server.kill();
        await sleep(random() * 4000);
        await server.restart();
      },
    ];
    const isOver = ({ state }: { readonly state: string }) => state === "done" || state === "dead";
    let left = DISTURB.length * 2;
    for (let { orders } = await look(); !orders.every(isOver); { orders } = await look()) {
      if (left-- > 0) await DISTURB[left % DISTURB.length]?.();
      for (const [user, { child }] of workers)
        if (child.exitCode !== null || child.signalCode !== null) workers.set(user, startWorker(user));
      await sleep(1000);
    }

    const { orders, receipts } = await look();
    expect(orders.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(receipts.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const keys = trustedKeys(signalboxHome);
    const verified = receipts.map((receipt) => verifyReceipt(receipt, keys));
    expect(verified.filter((each) => !each.good || each.receipt.outcome !== "ended")).toEqual([]);
    // Each attempt before the accepted one has its receipt.
    const attempts = new Map(
      verified.flatMap((each) => (each.good ? [[each.receipt.order, each.receipt.attempt]] : [])),
    );
    expect(orders.map(({ id, lost }) => lost.length + 1 === attempts.get(id))).toEqual(orders.map(() => true));
    // And no agent is left, not even one of an attempt that was lost.
    for (const pid of await begun(folder, ORDERS)) await isGone(pid);
  },
);
