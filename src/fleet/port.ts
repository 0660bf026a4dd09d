import type { Blob, WorkerStatus } from "./documents.ts";

/**
 * Where the orders of a fleet are: a queue, a lease, a fence and a store. Both adapters (`sqlite-fleet.ts`,
 * `nats-fleet.ts`) keep the same promises; `fleet-conformance.ts` tests them. An order starts at least once, and exactly one
 * receipt of it is accepted. Documents are opaque here: they are signed and verified by those who use the port.
 */
export interface Fleet extends AsyncDisposable {
  /** Where this is, for people. */
  readonly place: string;
  /** Adds an order. An id that is known already changes nothing; the order that is stored is returned. */
  submit(order: NewOrder): Promise<{ readonly isNew: boolean; readonly document: string }>;
  /** Leases the oldest order whose needs the worker meets. Writes a `lost` receipt for every lease that has run out. */
  claim(offer: Offer): Promise<Lease | undefined>;
  /** Prolongs the lease. Throws while the place cannot be reached. */
  heartbeat(lease: Fence): Promise<Beat>;
  /** Ends the order, if this attempt still holds it. Safe to repeat. */
  complete(lease: Fence, receipt: string): Promise<"accepted" | "superseded">;
  /** The worker itself noticed that the attempt is lost. The order becomes ready again, or dead. */
  giveUp(lease: Fence, receipt: string): Promise<void>;
  cancel(id: string, why: string): Promise<"cancelled" | "asked" | "ended" | "unknown">;
  find(id: string): Promise<OrderStatus | undefined>;
  /** The newest orders, newest first. */
  list(limit: number): Promise<readonly OrderStatus[]>;
  /** Accepted receipts after a sequence number, in the order in which they were accepted. */
  receipts(after: number): Promise<readonly AcceptedReceipt[]>;
  putBlob(file: string): Promise<Blob>;
  /** Writes the content to a new file. Throws if it is missing, or not what its name says. */
  getBlob(blob: Blob, file: string): Promise<void>;
  /** Makes a worker known, with what it is doing. */
  announce(worker: WorkerStatus): Promise<void>;
  workers(): Promise<readonly WorkerStatus[]>;
}

/** What both adapters are opened with. */
export interface FleetSettings {
  /** How long a lease is, in milliseconds. */
  readonly leaseMs: number;
  /** Makes the signed `lost` receipt of an attempt whose lease has run out. */
  readonly witness: (lost: LostAttempt) => string;
}

export interface LostAttempt {
  readonly id: string;
  readonly attempt: number;
  readonly worker: string;
  readonly because: string;
}

export interface NewOrder {
  readonly id: string;
  readonly document: string;
  /** Sorted. */
  readonly needs: readonly string[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  /** How many attempts may be lost before the order is dead. */
  readonly attempts: number;
}

interface Offer {
  /** Unique for a process: two workers may have the same name. */
  readonly worker: string;
  /** The needs that it meets. */
  readonly meets: ReadonlySet<string>;
}

/** What proves that an attempt is the current one. */
export interface Fence {
  readonly id: string;
  readonly attempt: number;
  readonly worker: string;
  /** The adapter's own handle. */
  readonly token?: string | undefined;
}

export interface Lease extends Fence {
  readonly document: string;
  readonly leaseMs: number;
}

type Beat = { readonly state: "held"; readonly cancel: string | undefined } | { readonly state: "lost" };

export type OrderState = "ready" | "leased" | "done" | "dead" | "cancelled";

export interface OrderStatus {
  readonly id: string;
  readonly document: string;
  readonly state: OrderState;
  /** The current attempt, or the last one; 0 before the first. */
  readonly attempt: number;
  readonly worker: string | undefined;
  /** Why it was cancelled, or is to be. */
  readonly cancel: string | undefined;
  /** The `lost` receipts, by attempt. */
  readonly lost: readonly string[];
}

export interface AcceptedReceipt {
  readonly sequence: number;
  readonly id: string;
  readonly document: string;
}

/** Whether a worker that meets these needs may take an order with those. */
export const isMet = (needs: readonly string[], meets: ReadonlySet<string>): boolean =>
  needs.every((need) => meets.has(need));
