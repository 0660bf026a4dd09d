import type { KvEntry } from "@nats-io/kv";
import type { Msg } from "@nats-io/transport-node";
import * as z from "zod";
import { parseJson } from "../lib/json/parse-json.ts";
import { sha256 } from "../lib/json/sha256.ts";
import { UserError } from "../lib/text/user-error.ts";
import { MAX_ATTEMPTS, WorkerStatus } from "./documents.ts";
import { filesIn, isConflict, isTaken, type NatsPlace, openPlace, QUEUE, RECEIPTS } from "./nats-place.ts";
import {
  type Fence,
  type Fleet,
  type FleetSettings,
  isMet,
  type Lease,
  type NewOrder,
  type OrderStatus,
} from "./port.ts";

/** What became of an order. Only who has read the latest revision can change it, which is the fence. */
const State = z.strictObject({
  document: z.string(),
  /** When it was submitted: milliseconds since 1970, for the order of lists. */
  submitted: z.number(),
  needs: z.array(z.string()),
  notBefore: z.number(),
  attempts: z.int().min(1).max(MAX_ATTEMPTS),
  state: z.enum(["ready", "leased", "done", "dead", "cancelled"]),
  attempt: z.int(),
  worker: z.string().optional(),
  cancel: z.string().optional(),
  lost: z.array(z.string()),
  receipt: z.string().optional(),
  /** How often the server had delivered the order when it was leased. */
  delivered: z.int(),
});
type State = z.infer<typeof State>;

interface NatsSettings extends FleetSettings {
  readonly address: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The fleet on a NATS server. A work-queue stream hands out orders and gives them out again when nobody says that the
 * work goes on; the state of each order, changed by compare-and-set, decides who holds it.
 */
export async function openNatsFleet(settings: NatsSettings): Promise<Fleet> {
  const place = await openPlace(settings.address, settings.env);
  const states = statesIn(place);
  return {
    place: `nats://${place.connection.getServer()}`,
    ...filesIn(place.files),
    ...recordsIn(place, states),
    ...leasesIn(place, states, settings),
    [Symbol.asyncDispose]: async () => await place.connection.close(),
  };
}

interface States {
  readonly read: (id: string) => Promise<State | undefined>;
  /**
   * Changes a state until nobody was faster. `latest` is the state, as it was before where `next` leaves it as it is;
   * undefined if there is no such order.
   */
  readonly change: (id: string, next: (state: State) => State | undefined) => Promise<Changed>;
}

interface Changed {
  readonly latest: State | undefined;
  readonly isChanged: boolean;
}

function statesIn({ orders }: NatsPlace): States {
  // What this process wrote last. It is seldom behind, and then the server refuses the change and it is read again.
  const written = new Map<string, { readonly state: State; readonly revision: number }>();
  const load = async (id: string) => {
    const entry = await orders.get(id);
    const state = stateOf(entry);
    return entry === null || state === undefined ? undefined : { state, revision: entry.revision };
  };
  return {
    read: async (id) => (await load(id))?.state,
    async change(id, next) {
      for (let known = written.get(id); ; known = undefined) {
        written.delete(id);
        const isRemembered = known !== undefined;
        known ??= await load(id);
        if (known === undefined) return { latest: undefined, isChanged: false };
        const state = next(known.state);
        if (state === undefined && isRemembered) continue;
        if (state === undefined) return { latest: known.state, isChanged: false };
        try {
          const revision = await orders.update(id, JSON.stringify(state), known.revision);
          if (state.state === "leased") written.set(id, { state, revision });
          return { latest: state, isChanged: true };
        } catch (error) {
          if (!isConflict(error)) throw error;
        }
      }
    },
  };
}

function stateOf(entry: KvEntry | null): State | undefined {
  return entry === null || entry.operation !== "PUT" ? undefined : State.parse(parseJson(entry.string()));
}

const hashOf = (needs: readonly string[]) => sha256(needs.join(" ")).slice(0, 32);

const holds = ({ state, attempt, worker }: State, fence: Fence) =>
  state === "leased" && attempt === fence.attempt && worker === fence.worker;

/** The state after an attempt was lost. */
function afterLoss({ worker: _gone, ...state }: State, receipt: string): State {
  const next = state.cancel !== undefined ? "cancelled" : state.attempt >= state.attempts ? "dead" : "ready";
  return { ...state, state: next, lost: [...state.lost, receipt] };
}

type Leases = "claim" | "heartbeat" | "complete" | "giveUp";

function leasesIn(place: NatsPlace, states: States, settings: NatsSettings): Pick<Fleet, Leases> {
  const { connection, stream } = place;
  const queues = queuesIn(place, settings.leaseMs);
  // A server that is away must not cost the next heartbeats.
  const timeout = Math.min(REQUEST_MS, settings.leaseMs / 4);
  const acknowledge = async (token: string | undefined, word: string) =>
    token === undefined ? undefined : await connection.request(token, word, { timeout });
  /** Safe to repeat, and done again by whoever gets the order, if this process dies in here. */
  const finish = async (id: string, { receipt }: State, token: string | undefined) => {
    if (receipt !== undefined)
      await stream.publish(`signalbox.receipts.${id}`, receipt).catch((error: unknown) => {
        if (!isTaken(error)) throw error;
      });
    await acknowledge(token, "+ACK");
  };
  const take = async (message: Msg, worker: string, leaseMs: number): Promise<Lease | undefined> => {
    const id = message.subject.split(".").at(-1) ?? "";
    const token = message.reply ?? "";
    const parts = token.split(".");
    const delivered = Number(parts[parts.length > SHORT_TOKEN ? 6 : 4]);
    const { latest: now, isChanged } = await states.change(id, (state) =>
      leaseOf(state, { id, worker, delivered }, settings.witness),
    );
    if (isChanged && now?.state === "leased")
      return { id, attempt: now.attempt, worker, token, document: now.document, leaseMs };
    if (now === undefined || (now.state !== "ready" && now.state !== "leased")) await finish(id, now ?? EMPTY, token);
    else await acknowledge(token, `-NAK {"delay": ${delayOf(now, leaseMs) * 1_000_000}}`);
    return undefined;
  };
  return {
    async claim({ worker, meets }) {
      // Which sets of needs there are is only asked for when the known ones have nothing.
      for (const find of [queues.known, queues.all])
        for (const queue of await find(meets))
          for (let message = await queue.next(); message !== undefined; message = await queue.next()) {
            const lease = await take(message, worker, queue.leaseMs);
            if (lease !== undefined) return lease;
          }
      return undefined;
    },
    async heartbeat(fence) {
      await acknowledge(fence.token, "+WPI");
      const state = await states.read(fence.id);
      return state !== undefined && holds(state, fence) ? { state: "held", cancel: state.cancel } : { state: "lost" };
    },
    async complete(fence, receipt) {
      const { latest } = await states.change(fence.id, (state) =>
        holds(state, fence) ? { ...state, state: "done", receipt } : undefined,
      );
      if (latest?.state !== "done" || latest.receipt !== receipt) return "superseded";
      await finish(fence.id, latest, fence.token);
      return "accepted";
    },
    async giveUp(fence, receipt) {
      const { latest, isChanged } = await states.change(fence.id, (state) =>
        holds(state, fence) ? afterLoss(state, receipt) : undefined,
      );
      if (isChanged) await acknowledge(fence.token, latest?.state === "ready" ? "-NAK" : "+ACK");
    },
  };
}

const REQUEST_MS = 5000;

/** `$JS.ACK.STREAM.CONSUMER.DELIVERED.…` has 9 parts; with a domain and an account in front of the stream more. */
const SHORT_TOKEN = 9;

const EMPTY: State = {
  document: "",
  submitted: 0,
  needs: [],
  notBefore: 0,
  attempts: 1,
  state: "cancelled",
  attempt: 0,
  lost: [],
  delivered: 0,
};

interface Delivery {
  readonly id: string;
  readonly worker: string;
  readonly delivered: number;
}

/**
 * The state when an order was delivered to a worker. Undefined leaves it: it has ended, waits for its time, or somebody may
 * still hold it, because the server forgot after a crash how often it had delivered it.
 */
function leaseOf(state: State, { id, worker, delivered }: Delivery, witness: FleetSettings["witness"]) {
  if (state.state === "leased") {
    if (delivered <= state.delivered) return undefined;
    const { attempt, worker: gone = "" } = state;
    const because = `no sign of life from ${gone} for one lease`;
    const next = afterLoss(state, witness({ id, attempt, worker: gone, because }));
    return next.state === "ready" ? lease(next, worker, delivered) : next;
  }
  return state.state === "ready" && state.notBefore <= Date.now() ? lease(state, worker, delivered) : undefined;
}

const lease = (state: State, worker: string, delivered: number): State => ({
  ...state,
  state: "leased",
  attempt: state.attempt + 1,
  worker,
  delivered,
});

const MAX_DELAY_MS = 60_000;

const delayOf = ({ state, notBefore }: State, leaseMs: number) =>
  state === "leased" ? leaseMs : Math.round(Math.min(MAX_DELAY_MS, Math.max(100, notBefore - Date.now())));

interface Queue {
  readonly leaseMs: number;
  /** The next order, or undefined if none is there now. */
  readonly next: () => Promise<Msg | undefined>;
}

/** The queues with the needs that a worker meets. Each set of needs has a consumer, which has the length of the lease. */
function queuesIn({ connection, manager, needs }: NatsPlace, leaseMs: number) {
  const opened = new Map<string, { readonly needs: readonly string[]; readonly queue: Queue }>();
  const open = async (hash: string): Promise<Queue> => {
    const info = await manager.consumers.info(QUEUE, hash).catch(
      async () =>
        await manager.consumers.add(QUEUE, {
          durable_name: hash,
          filter_subject: `signalbox.queue.${hash}.*`,
          ack_policy: "explicit",
          ack_wait: leaseMs * 1_000_000,
          max_deliver: -1,
          max_ack_pending: -1,
        }),
    );
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${QUEUE}.${hash}`;
    return {
      leaseMs: (info.config.ack_wait ?? leaseMs * 1_000_000) / 1_000_000,
      async next() {
        // An order comes under its own subject, by which the usual request would not know its answer.
        const options = { timeout: REQUEST_MS, noMux: true };
        const message = await connection.request(subject, '{"batch":1,"no_wait":true}', options);
        const code = message.headers?.code ?? 0;
        return code === 0 ? message : undefined;
      },
    };
  };
  const known = async (meets: ReadonlySet<string>): Promise<readonly Queue[]> =>
    [...opened.values()].filter((each) => isMet(each.needs, meets)).map(({ queue }) => queue);
  const all = async (meets: ReadonlySet<string>): Promise<readonly Queue[]> => {
    for await (const entry of await needs.history()) {
      const list = z.array(z.string()).parse(parseJson(entry.string()));
      if (!opened.has(entry.key) && isMet(list, meets))
        opened.set(entry.key, { needs: list, queue: await open(entry.key) });
    }
    return await known(meets);
  };
  return { known, all };
}

const describe = (id: string, { document, state, attempt, worker, cancel, lost }: State): OrderStatus => ({
  id,
  document,
  state,
  attempt,
  worker,
  cancel,
  lost,
});

type Records = "submit" | "cancel" | "find" | "list" | "receipts" | "announce" | "workers";

function recordsIn(place: NatsPlace, states: States): Pick<Fleet, Records> {
  const { orders, workers } = place;
  const statusOf = async (id: string): Promise<OrderStatus | undefined> => {
    const state = await states.read(id);
    return state === undefined ? undefined : describe(id, state);
  };
  return {
    submit: async (order) => await submitTo(place, states, order),
    async cancel(id, why) {
      const { latest, isChanged } = await states.change(id, (state) => {
        if (state.state === "ready") return { ...state, state: "cancelled", cancel: why };
        return state.state === "leased" ? { ...state, cancel: why } : undefined;
      });
      if (isChanged) return latest?.state === "cancelled" ? "cancelled" : "asked";
      return latest === undefined ? "unknown" : "ended";
    },
    find: statusOf,
    async list(limit) {
      const all: { readonly status: OrderStatus; readonly submitted: number; readonly revision: number }[] = [];
      for await (const entry of await orders.history()) {
        const state = stateOf(entry);
        if (state !== undefined)
          all.push({ status: describe(entry.key, state), submitted: state.submitted, revision: entry.revision });
      }
      return all
        .toSorted((one, other) => other.submitted - one.submitted || other.revision - one.revision)
        .slice(0, limit)
        .map(({ status }) => status);
    },
    receipts: async (after) => await receiptsIn(place, after),
    announce: async (worker) => void (await workers.put(sha256(worker.name).slice(0, 32), JSON.stringify(worker))),
    async workers() {
      const all: WorkerStatus[] = [];
      for await (const entry of await workers.history()) all.push(WorkerStatus.parse(parseJson(entry.string())));
      return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    },
  };
}

/** A submit that was killed in here is finished by the next one with the same order. */
async function submitTo(place: NatsPlace, states: States, order: NewOrder): ReturnType<Fleet["submit"]> {
  const { orders, needs: sets, queued, stream, connection } = place;
  const { id, document, needs, notBefore, attempts } = order;
  const most = (connection.info?.max_payload ?? 1_048_576) - STATE_BYTES;
  const size = Buffer.byteLength(JSON.stringify(document));
  if (size > most)
    throw new UserError(`this order has ${size} bytes; the fleet's server takes at most ${most}`, {
      where: "signalbox fleet submit",
      fix: "put long texts into files of the workspace",
    });
  if (!queued.has(hashOf(needs))) await createOnce(sets, hashOf(needs), JSON.stringify(needs));
  queued.add(hashOf(needs));
  const state: State = {
    ...EMPTY,
    document,
    submitted: Date.now(),
    needs: [...needs],
    notBefore,
    attempts,
    state: "ready",
  };
  const isNew = await createOnce(orders, id, JSON.stringify(state));
  const stored = isNew ? state : await states.read(id);
  // An order that has begun or ended is not queued again.
  if (stored?.state === "ready" && stored.attempt === 0)
    await stream.publish(`signalbox.queue.${hashOf(stored.needs)}.${id}`, "").catch((error: unknown) => {
      if (!isTaken(error)) throw error;
    });
  return { isNew, document: stored?.document ?? document };
}

/** What the receipts and the rest of a state add to the document. */
const STATE_BYTES = 128 * 1024;

/** Whether the key was not there yet. */
async function createOnce(bucket: NatsPlace["orders"], key: string, value: string): Promise<boolean> {
  try {
    await bucket.create(key, value);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

async function receiptsIn({ manager, stream }: NatsPlace, after: number): ReturnType<Fleet["receipts"]> {
  const { state } = await manager.streams.info(RECEIPTS);
  const all: Awaited<ReturnType<Fleet["receipts"]>>[number][] = [];
  if (state.last_seq <= after || state.messages === 0) return all;
  const consumer = await stream.consumers.get(RECEIPTS, { opt_start_seq: after + 1 });
  for await (const message of await consumer.consume()) {
    all.push({ sequence: message.seq, id: message.subject.split(".").at(-1) ?? "", document: message.string() });
    if (message.seq >= state.last_seq) break;
  }
  return all;
}
