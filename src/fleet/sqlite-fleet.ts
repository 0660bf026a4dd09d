import { statfsSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { makeFolder } from "../lib/files/make-folder.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { ownPlace } from "../lib/process/process-table.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { openBlobs } from "./blobs.ts";
import { WorkerStatus } from "./documents.ts";
import {
  type Fence,
  type Fleet,
  type FleetSettings,
  isMet,
  type Lease,
  type OrderState,
  type OrderStatus,
} from "./port.ts";

interface SqliteSettings extends FleetSettings {
  readonly folder: string;
  /** The number that the system has for the kind of a folder's file system. */
  readonly fileSystem?: (folder: string) => number;
  /** A clock that only goes forward, also while the machine sleeps, in milliseconds; and which boot it counts from. */
  readonly clock?: () => { readonly boot: string; readonly now: number };
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS orders (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, needs TEXT NOT NULL,
    not_before INTEGER NOT NULL, attempts INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'ready',
    attempt INTEGER NOT NULL DEFAULT 0, worker TEXT, boot TEXT, expires REAL, cancel TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS ready_orders ON orders (needs, sequence) WHERE state = 'ready';
  CREATE INDEX IF NOT EXISTS leased_orders ON orders (expires) WHERE state = 'leased';
  CREATE TABLE IF NOT EXISTS lost (
    id TEXT NOT NULL, attempt INTEGER NOT NULL, document TEXT NOT NULL, PRIMARY KEY (id, attempt)) STRICT;
  CREATE TABLE IF NOT EXISTS receipts (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS workers (name TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  PRAGMA user_version = 1;
`;

/** The fleet of one machine: a database that its workers share. */
export function openSqliteFleet(settings: SqliteSettings): Fleet {
  const { folder } = settings;
  makeFolder(folder);
  refuseNetwork(folder, settings.fileSystem ?? ((path) => statfsSync(path).type));
  const database = openDatabase(join(folder, "fleet.db"));
  const queries = queriesOf(database);
  return {
    place: folder,
    ...openBlobs(join(folder, "blobs")),
    ...leasesIn(queries, settings),
    ...recordsIn(queries),
    [Symbol.asyncDispose]: async () => database.close(),
  };
}

type Leases = "claim" | "heartbeat" | "complete" | "giveUp";

function leasesIn({ run, rows, atOnce }: Queries, settings: SqliteSettings): Pick<Fleet, Leases> {
  const { leaseMs, witness, clock = systemClock } = settings;
  const lose = (lost: Fence, document: string) =>
    atOnce(() => {
      const held = run(
        `UPDATE orders SET worker = NULL, expires = NULL, state = CASE WHEN cancel IS NOT NULL THEN 'cancelled'
         WHEN attempt >= attempts THEN 'dead' ELSE 'ready' END ${HELD}`,
        fenceOf(lost),
      );
      if (held) run("INSERT OR IGNORE INTO lost VALUES (?, ?, ?)", [lost.id, lost.attempt, document]);
    });
  const loseExpired = () => {
    const { boot, now } = clock();
    const expired = rows("SELECT * FROM orders WHERE state = 'leased' AND (expires < ? OR boot <> ?)", [now, boot]);
    for (const row of expired) {
      const lost = { ...fenceIn(row), because: `no sign of life from ${text(row["worker"])} for one lease` };
      lose(lost, witness(lost));
    }
  };
  const lease = (worker: string, next: Row): Lease => {
    const { boot, now } = clock();
    const [id, attempt] = [text(next["id"]), Number(next["attempt"]) + 1];
    const values = [attempt, worker, boot, now + leaseMs, id];
    run("UPDATE orders SET state = 'leased', attempt = ?, worker = ?, boot = ?, expires = ? WHERE id = ?", values);
    return { id, attempt, worker, document: text(next["document"]), leaseMs };
  };
  return {
    claim: async ({ worker, meets }) => {
      loseExpired();
      return atOnce(() => {
        const [next] = rows(DISTINCT_NEEDS, [])
          .map((row) => text(row["needs"]))
          .filter((needs) => isMet(needs === "" ? [] : needs.split(" "), meets))
          .flatMap((needs) => rows(OLDEST, [needs, Date.now()]))
          .toSorted((one, other) => Number(one["sequence"]) - Number(other["sequence"]));
        return next === undefined ? undefined : lease(worker, next);
      });
    },
    heartbeat: async (fence) => {
      const { boot, now } = clock();
      const isHeld = run(`UPDATE orders SET boot = ?, expires = ? ${HELD}`, [boot, now + leaseMs, ...fenceOf(fence)]);
      if (!isHeld) return { state: "lost" };
      const [row = {}] = rows("SELECT cancel FROM orders WHERE id = ?", [fence.id]);
      return { state: "held", cancel: textOrNone(row["cancel"]) };
    },
    complete: async (fence, document) =>
      atOnce(() => {
        const isHeld = run(`UPDATE orders SET state = 'done', expires = NULL ${HELD}`, fenceOf(fence));
        if (isHeld) run("INSERT INTO receipts (id, document) VALUES (?, ?)", [fence.id, document]);
        const [accepted = {}] = rows("SELECT document FROM receipts WHERE id = ?", [fence.id]);
        return accepted["document"] === document ? "accepted" : "superseded";
      }),
    giveUp: async (fence, document) => lose(fence, document),
  };
}

type Records = "submit" | "cancel" | "find" | "list" | "receipts" | "announce" | "workers";

const recordsIn = ({ run, rows, atOnce }: Queries): Pick<Fleet, Records> => ({
  submit: async ({ id, document, needs, notBefore, attempts }) => {
    const isNew = run(
      "INSERT OR IGNORE INTO orders (id, document, needs, not_before, attempts) VALUES (?, ?, ?, ?, ?)",
      [id, document, needs.join(" "), notBefore, attempts],
    );
    const [stored = {}] = rows("SELECT document FROM orders WHERE id = ?", [id]);
    return { isNew, document: text(stored["document"]) };
  },
  cancel: async (id, why) =>
    atOnce(() => {
      if (run("UPDATE orders SET state = 'cancelled', cancel = ? WHERE id = ? AND state = 'ready'", [why, id]))
        return "cancelled";
      if (run("UPDATE orders SET cancel = ? WHERE id = ? AND state = 'leased'", [why, id])) return "asked";
      return rows("SELECT 1 FROM orders WHERE id = ?", [id]).length > 0 ? "ended" : "unknown";
    }),
  find: async (id) => rows("SELECT * FROM orders WHERE id = ?", [id]).map((row) => statusOf(row, rows))[0],
  list: async (limit) =>
    rows("SELECT * FROM orders ORDER BY sequence DESC LIMIT ?", [limit]).map((row) => statusOf(row, rows)),
  receipts: async (after) =>
    rows("SELECT * FROM receipts WHERE sequence > ? ORDER BY sequence", [after]).map((row) => ({
      sequence: Number(row["sequence"]),
      id: text(row["id"]),
      document: text(row["document"]),
    })),
  announce: async (worker) => void run("INSERT OR REPLACE INTO workers VALUES (?, ?)", [worker.name, json(worker)]),
  workers: async () =>
    rows("SELECT document FROM workers ORDER BY name", []).map((row) =>
      WorkerStatus.parse(parseJson(text(row["document"]))),
    ),
});

const HELD = "WHERE id = ? AND attempt = ? AND worker = ? AND state = 'leased'";

/** Every set of needs that somebody waits with, without reading all orders. */
const DISTINCT_NEEDS = `
  WITH RECURSIVE known(needs) AS (
    SELECT min(needs) FROM orders WHERE state = 'ready'
    UNION ALL
    SELECT (SELECT min(needs) FROM orders WHERE state = 'ready' AND needs > known.needs) FROM known
    WHERE known.needs IS NOT NULL)
  SELECT needs FROM known WHERE needs IS NOT NULL`;

const OLDEST = "SELECT * FROM orders WHERE state = 'ready' AND needs = ? AND not_before <= ? ORDER BY sequence LIMIT 1";

type Row = Readonly<Record<string, SQLOutputValue>>;
type Rows = (sql: string, values: readonly (string | number)[]) => readonly Row[];

const fenceOf = ({ id, attempt, worker }: Fence): readonly [string, number, string] => [id, attempt, worker];

const fenceIn = (row: Row): Fence => ({
  id: text(row["id"]),
  attempt: Number(row["attempt"]),
  worker: text(row["worker"]),
});

function statusOf(row: Row, rows: Rows): OrderStatus {
  const lost = rows("SELECT document FROM lost WHERE id = ? ORDER BY attempt", [text(row["id"])]);
  return {
    id: text(row["id"]),
    document: text(row["document"]),
    state: STATES.find((state) => state === row["state"]) ?? "dead",
    attempt: Number(row["attempt"]),
    worker: textOrNone(row["worker"]),
    cancel: textOrNone(row["cancel"]),
    lost: lost.map(({ document }) => text(document)),
  };
}

const STATES: readonly OrderState[] = ["ready", "leased", "done", "dead", "cancelled"];

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const textOrNone = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const json = (value: object): string => JSON.stringify(value);

function openDatabase(file: string): DatabaseSync {
  const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
  const database = new Database(file, { timeout: 60_000 });
  const { user_version: version } = database.prepare("PRAGMA user_version").get() ?? {};
  if (Number(version) > 1) {
    database.close();
    throw new UserError("this fleet was made by a newer signalbox", {
      where: file,
      fix: "update signalbox",
      exitCode: EXIT.refused,
    });
  }
  database.exec(SCHEMA);
  return database;
}

interface Queries {
  readonly rows: Rows;
  /** Whether it changed anything. */
  readonly run: (sql: string, values: readonly (string | number)[]) => boolean;
  readonly atOnce: <Result>(work: () => Result) => Result;
}

/** The statements of a database, each prepared once. */
function queriesOf(database: DatabaseSync): Queries {
  const prepared = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const statement = (sql: string) => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  const rows: Rows = (sql, values) => statement(sql).all(...values);
  return {
    rows,
    run: (sql, values) => Number(statement(sql).run(...values).changes) > 0,
    atOnce: (work) => {
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

const systemClock = () => ({ boot: ownPlace().boot, now: uptime() * 1000 });

/** SQLite's locks, and the memory that its log needs, are not shared between machines. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x65735546, "FUSE, which may be on the network"],
  [0x01021997, "9P"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
]);

function refuseNetwork(folder: string, fileSystem: (folder: string) => number): void {
  const name = NETWORK.get(fileSystem(folder) >>> 0);
  if (name === undefined) return;
  throw new UserError(`a fleet's database is not safe on a network file system (${name})`, {
    where: folder,
    fix: "set SIGNALBOX_HOME to a folder on a local disk, or SIGNALBOX_FLEET to a NATS server (docs/fleet.md)",
    exitCode: EXIT.refused,
  });
}
