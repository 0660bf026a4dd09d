import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { openNatsFleet } from "../src/fleet/nats-fleet.ts";
import { openPlace } from "../src/fleet/nats-place.ts";
import type { Fleet, FleetSettings } from "../src/fleet/port.ts";
import { openSqliteFleet } from "../src/fleet/sqlite-fleet.ts";
import { findProgram } from "../src/lib/path/find-program.ts";
import { isRecord } from "../src/lib/json/json-value.ts";
import type { Suite } from "./suite.ts";

const DOCUMENT = "x".repeat(1500);
const LEASE_MS = 5000;
const SETTINGS: FleetSettings = { leaseMs: LEASE_MS, witness: () => "lost" };
const OFFER = { worker: "w", meets: new Set<string>() };
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** Submitting and completing orders whose work is nothing, beside the bare engines, and how long a takeover takes. */
export const fleet: Suite = async ({ quick }) => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  const server = await startServer(folder);
  try {
    const sizes = quick ? [10, 100, 1000] : [10, 100, 1000, 10_000];
    const rows: Record<string, string | number>[] = [];
    for (const size of sizes) {
      rows.push({ engine: "sqlite, bare", orders: size, ...(await bareSqlite(join(folder, `bare-${size}.db`), size)) });
      const own = openSqliteFleet({ ...SETTINGS, folder: join(folder, `sqlite-${size}`) });
      rows.push({ engine: "sqlite, fleet", orders: size, ...(await whole(own, size)) });
      if (server === undefined) continue;
      rows.push({ engine: "nats, bare", orders: size, ...(await bareNats(server.address, size)) });
      rows.push({ engine: "nats, fleet", orders: size, ...(await whole(await emptyFleet(server.address), size)) });
    }
    const takeovers = [
      {
        engine: "sqlite, fleet",
        ...(await takeover(openSqliteFleet({ ...SETTINGS, folder: join(folder, "takeover") }))),
      },
      ...(server === undefined
        ? []
        : [{ engine: "nats, fleet", ...(await takeover(await emptyFleet(server.address))) }]),
    ];
    return { rows: [...rows, ...takeovers], result: { rows, takeovers } };
  } finally {
    server?.child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

interface Times {
  readonly submitMs: number;
  readonly completeMs: number;
}

async function timed(submit: () => Promise<void> | void, complete: () => Promise<void> | void): Promise<Times> {
  const start = performance.now();
  await submit();
  const middle = performance.now();
  await complete();
  return { submitMs: Math.round(middle - start), completeMs: Math.round(performance.now() - middle) };
}

async function whole(opened: Fleet, size: number): Promise<Times> {
  await using place = opened;
  return await timed(
    async () => {
      for (let number = 0; number < size; number++)
        await place.submit({ id: idOf(number), document: DOCUMENT, needs: [], notBefore: 0, attempts: 3 });
    },
    async () => {
      for (let number = 0; number < size; number++) {
        const lease = await place.claim(OFFER);
        if (lease === undefined || (await place.complete(lease, DOCUMENT)) !== "accepted")
          throw new Error("an order was not completed");
      }
    },
  );
}

/** The least that a queue in SQLite does: insert, take in a transaction, write a receipt. */
async function bareSqlite(file: string, size: number): Promise<Times> {
  using database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE jobs (id INTEGER PRIMARY KEY, document TEXT, state TEXT);
    CREATE INDEX ready ON jobs (id) WHERE state = 'ready'; CREATE TABLE receipts (id INTEGER PRIMARY KEY, document TEXT)`);
  const insert = database.prepare("INSERT INTO jobs (document, state) VALUES (?, 'ready')");
  const take = database.prepare(
    "UPDATE jobs SET state = 'leased' WHERE id = (SELECT min(id) FROM jobs WHERE state = 'ready') RETURNING id, document",
  );
  const done = database.prepare("UPDATE jobs SET state = 'done' WHERE id = ? AND state = 'leased'");
  const receipt = database.prepare("INSERT INTO receipts VALUES (?, ?)");
  return await timed(
    () => {
      for (let number = 0; number < size; number++) insert.run(DOCUMENT);
    },
    () => {
      for (let number = 0; number < size; number++) {
        const { id = 0 } = take.get() ?? {};
        database.exec("BEGIN IMMEDIATE");
        done.run(id);
        receipt.run(id, DOCUMENT);
        database.exec("COMMIT");
      }
    },
  );
}

/** The least that a queue in JetStream does: publish, fetch one, publish the receipt, acknowledge. */
async function bareNats(address: string, size: number): Promise<Times> {
  const { connection, manager, stream } = await openPlace(address, {});
  for (const [name, retention] of [
    ["bare_queue", "workqueue"],
    ["bare_receipts", "limits"],
  ] as const) {
    await manager.streams.delete(name).catch(() => false);
    await manager.streams.add({ name, subjects: [`${name}.*`], retention, max_msgs_per_subject: 1, storage: "file" });
  }
  await manager.consumers.add("bare_queue", { durable_name: "bare", ack_policy: "explicit", max_ack_pending: -1 });
  const times = await timed(
    async () => {
      for (let number = 0; number < size; number++) await stream.publish(`bare_queue.${number}`, DOCUMENT);
    },
    async () => {
      for (let number = 0; number < size; number++) {
        const next = "$JS.API.CONSUMER.MSG.NEXT.bare_queue.bare";
        const message = await connection.request(next, '{"batch":1,"no_wait":true}', { timeout: 5000, noMux: true });
        await stream.publish(`bare_receipts.${number}`, DOCUMENT);
        await connection.request(message.reply ?? "", "+ACK", { timeout: 5000 });
      }
    },
  );
  await connection.close();
  return times;
}

/** From the last sign of life of a worker until another one has the order. */
async function takeover(opened: Fleet): Promise<{ readonly takeoverMs: number; readonly leaseMs: number }> {
  await using place = opened;
  await place.submit({ id: idOf(1), document: DOCUMENT, needs: [], notBefore: 0, attempts: 3 });
  await place.claim(OFFER);
  const start = performance.now();
  while ((await place.claim({ ...OFFER, worker: "other" })) === undefined) await sleep(20);
  return { takeoverMs: Math.round(performance.now() - start), leaseMs: LEASE_MS };
}

async function emptyFleet(address: string): Promise<Fleet> {
  const { connection, manager } = await openPlace(address, {});
  for await (const { config } of manager.streams.list())
    if (/^(?:KV_|OBJ_)?signalbox_/.test(config.name)) await manager.streams.delete(config.name);
  await connection.close();
  return await openNatsFleet({ ...SETTINGS, address, env: {} });
}

async function startServer(
  folder: string,
): Promise<{ readonly address: string; readonly child: ChildProcess } | undefined> {
  const program = findProgram("nats-server", `${process.env["PATH"] ?? ""}:/usr/sbin`);
  if (program === undefined) return undefined;
  const ports = mkdtempSync(join(folder, "ports-"));
  const words = ["-a", "127.0.0.1", "-p", "-1", "-js", "-sd", join(folder, "nats"), "--ports_file_dir", ports];
  const child = spawn(program, words, { stdio: "ignore" });
  while (readdirSync(ports).length === 0) await sleep(20);
  const value: unknown = JSON.parse(readFileSync(join(ports, readdirSync(ports)[0] ?? ""), "utf8"));
  const [address] = isRecord(value) && Array.isArray(value["nats"]) ? value["nats"] : [];
  return { address: String(address), child };
}
