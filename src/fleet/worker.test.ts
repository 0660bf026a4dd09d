import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { lost, refused } from "./attempt.ts";
import type { Fence } from "./port.ts";
import { openSqliteFleet } from "./sqlite-fleet.ts";
import { receiptOf, witness, work } from "./worker.ts";

const ORDERS = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`);

test("what waits in the outbox is delivered, what comes too late is kept, and a damaged file blocks nothing", async () => {
  const home = tempFolder();
  const outbox = join(home, "fleet/outbox");
  mkdirSync(outbox, { recursive: true });
  await using fleet = openSqliteFleet({ folder: join(home, "fleet"), leaseMs: 30_000, witness: witness(home) });
  const keep = ({ id, attempt, worker }: Fence, end = refused("no")) => {
    const fence = { id, attempt, worker };
    const document = receiptOf(home, fence, end);
    writeFileSync(join(outbox, `${id}-${attempt}.json`), JSON.stringify({ fence, outcome: end.outcome, document }));
    return document;
  };
  for (const id of ORDERS) await fleet.submit({ id, document: "order", needs: [], notBefore: 0, attempts: 1 });
  const claim = async () =>
    (await fleet.claim({ worker: "w", meets: new Set() })) ?? { id: "", attempt: 0, worker: "" };
  const [done, late, gone] = [await claim(), await claim(), await claim()];
  await fleet.complete(late, "from another attempt");
  writeFileSync(join(outbox, "0.json"), "{");
  const document = keep(done);
  keep(late);
  keep(gone, lost("killed"));

  const said: string[] = [];
  await work({
    fleet,
    home,
    env: {},
    program: ["false"],
    recover: async () => {},
    signal: new AbortController().signal,
    name: "w",
    version: "0",
    capacity: 1,
    meets: async () => new Set<string>(),
    log: (line) => said.push(line),
    isBrief: true,
  });
  expect((await fleet.receipts(0)).map((receipt) => receipt.document)).toEqual(["from another attempt", document]);
  expect(await fleet.find(gone.id)).toMatchObject({ state: "dead" });
  expect([readdirSync(outbox), readdirSync(join(home, "fleet/superseded")).toSorted()]).toEqual([
    [],
    [`${late.id}-1.json`, "0.json"].toSorted(),
  ]);
  expect(said).toEqual([
    "0.json: it cannot be read",
    `${late.id}-1.json: superseded, the order has gone on without it`,
  ]);
});
