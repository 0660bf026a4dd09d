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
  sequence: z.int(),
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
  /** Changes a state until nobody was faster. Undefined where `next` leaves it as it is. */
  readonly change: (id: string, next: (state: State) => State | undefined) => Promise<State | undefined>;
}

const statesIn = ({ orders }: NatsPlace): States => ({
  read: async (id) => stateOf(await orders.get(stateKey(id))),
  async change(id, next) {
    for (;;) {
      const entry = await orders.get(stateKey(id));
      const state = stateOf(entry);
      const changed = state === undefined ? undefined : next(state);
      if (entry === null || changed === undefined) return undefined;
      try {
        await orders.update(stateKey(id), JSON.stringify(changed), entry.revision);
        return changed;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  },
});

const stateKey = (id: string) => `${id}.state`;
const orderKey = (id: string) => `${id}.order`;

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
    const leased = await states.change(id, (state) => leaseOf(state, { id, worker, delivered }, settings.witness));
    if (leased?.state === "leased") {
      const document = (await place.orders.get(orderKey(id)))?.string() ?? "";
      return { id, attempt: leased.attempt, worker, token, document, leaseMs };
    }
    const now = leased ?? (await states.read(id));
    if (now === undefined || (now.state !== "ready" && now.state !== "leased")) await finish(id, now ?? EMPTY, token);
    else await acknowledge(token, `-NAK {"delay": ${delayOf(now, leaseMs) * 1_000_000}}`);
    return undefined;
  };
  return {
    async claim({ worker, meets }) {
      for (const queue of await queues(meets))
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
      const done = await states.change(fence.id, (state) =>
        holds(state, fence) ? { ...state, state: "done", receipt } : undefined,
      );
      const now = done ?? (await states.read(fence.id));
      if (now?.state !== "done" || now.receipt !== receipt) return "superseded";
      await finish(fence.id, now, fence.token);
      return "accepted";
    },
    async giveUp(fence, receipt) {
      const lost = await states.change(fence.id, (state) =>
        holds(state, fence) ? afterLoss(state, receipt) : undefined,
      );
      if (lost !== undefined) await acknowledge(fence.token, lost.state === "ready" ? "-NAK" : "+ACK");
    },
  };
}

const REQUEST_MS = 5000;

/** `$JS.ACK.STREAM.CONSUMER.DELIVERED.…` has 9 parts; with a domain and an account in front of the stream more. */
const SHORT_TOKEN = 9;

const EMPTY: State = {
  sequence: 0,
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
  const known = new Map<string, Promise<Queue>>();
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
  return async (meets: ReadonlySet<string>): Promise<readonly Queue[]> => {
    const queues: Queue[] = [];
    for await (const entry of await needs.history()) {
      const list = z.array(z.string()).parse(parseJson(entry.string()));
      if (!isMet(list, meets)) continue;
      const queue = known.get(entry.key) ?? open(entry.key);
      known.set(entry.key, queue);
      queue.catch(() => known.delete(entry.key));
      queues.push(await queue);
    }
    return queues;
  };
}

type Records = "submit" | "cancel" | "find" | "list" | "receipts" | "announce" | "workers";

function recordsIn(place: NatsPlace, states: States): Pick<Fleet, Records> {
  const { orders, workers } = place;
  const statusOf = async (id: string): Promise<OrderStatus | undefined> => {
    const [state, order] = [await states.read(id), await orders.get(orderKey(id))];
    if (state === undefined || order === null) return undefined;
    const { state: name, attempt, worker, cancel, lost } = state;
    return { id, document: order.string(), state: name, attempt, worker, cancel, lost };
  };
  return {
    submit: async (order) => await submitTo(place, states, order),
    async cancel(id, why) {
      const changed = await states.change(id, (state) => {
        if (state.state === "ready") return { ...state, state: "cancelled", cancel: why };
        return state.state === "leased" ? { ...state, cancel: why } : undefined;
      });
      if (changed !== undefined) return changed.state === "cancelled" ? "cancelled" : "asked";
      return (await states.read(id)) === undefined ? "unknown" : "ended";
    },
    find: statusOf,
    async list(limit) {
      const all: { readonly id: string; readonly sequence: number }[] = [];
      for await (const entry of await orders.history({ key: "*.state" })) {
        const state = stateOf(entry);
        if (state !== undefined) all.push({ id: entry.key.slice(0, -".state".length), sequence: state.sequence });
      }
      const newest = all.toSorted((one, other) => other.sequence - one.sequence).slice(0, limit);
      const found = await Promise.all(newest.map(({ id }) => statusOf(id)));
      return found.filter((status) => status !== undefined);
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
  const { orders, needs: sets, stream, connection } = place;
  const { id, document, needs, notBefore, attempts } = order;
  const most = (connection.info?.max_payload ?? 1_048_576) - HEADER_BYTES;
  const size = Buffer.byteLength(document);
  if (size > most)
    throw new UserError(`this order has ${size} bytes; the fleet's server takes at most ${most}`, {
      where: "signalbox fleet submit",
      fix: "put long texts into files of the workspace",
    });
  const sequence = await createOnce(orders, orderKey(id), document);
  const stored = (await orders.get(orderKey(id)))?.string() ?? document;
  const hash = hashOf(needs);
  const state: State = {
    ...EMPTY,
    sequence: sequence ?? 0,
    needs: [...needs],
    notBefore,
    attempts,
    state: "ready",
  };
  await createOnce(orders, stateKey(id), JSON.stringify(state));
  await createOnce(sets, hash, JSON.stringify(needs));
  // Also after a submit that was killed: an order that is queued, or has ended, is not queued again.
  const now = await states.read(id);
  if (now?.state === "ready" && now.attempt === 0)
    await stream.publish(`signalbox.queue.${hash}.${id}`, "").catch((error: unknown) => {
      if (!isTaken(error)) throw error;
    });
  return { isNew: sequence !== undefined, document: stored };
}

/** What the subject and the headers of a message add. */
const HEADER_BYTES = 1024;

/** The revision, or undefined if the key is there already. */
async function createOnce(bucket: NatsPlace["orders"], key: string, value: string): Promise<number | undefined> {
  try {
    return await bucket.create(key, value);
  } catch (error) {
    if (isConflict(error)) return undefined;
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
