import type { AgentEvent } from "../contract/agent-event.ts";
import type { Capabilities } from "../contract/capability.ts";
import type { HostEnd } from "../contract/host-end.ts";
import type { BackendIdentity } from "../contract/receipt.ts";
import type { WorkOrder } from "../contract/work-order.ts";
import type { Decision } from "../contract/verdict.ts";
import type { AgentCall } from "../contract/agent-call.ts";

/** Something that carries out work orders: a program that speaks the protocol, or an adapter in our own process. */
export interface Host extends AsyncDisposable {
  readonly backend: BackendIdentity;
  readonly capabilities: Capabilities;
  /** The program that does the work, as far as it is known. */
  readonly agent: AgentIdentity;
  /** Whether no tool of the agent can run before `decide` has allowed it. */
  readonly holds: boolean;
  /**
   * Carries out one order and yields what happens as it happens. Throws a ProtocolError when the peer dies or lies.
   * When `signal` is aborted it ends soon, with the outcome as it is then; the disposal ends every process.
   */
  run(job: HostJob): AsyncGenerator<AgentEvent, HostEnd>;
}

export interface AgentIdentity {
  readonly name: string;
  readonly version: string | null;
  readonly binary_sha256: string | null;
}

export interface HostJob {
  readonly runId: string;
  /** The order with the root that the work happens in. */
  readonly order: WorkOrder;
  readonly signal: AbortSignal;
  /** May this call happen? A host that can hold its calls back asks first and obeys. */
  readonly decide: (call: HeldCall) => Decision;
}

export interface HeldCall extends AgentCall {
  /** The id that the event of this call will carry. */
  readonly id?: string | undefined;
}

export interface HostPlace {
  readonly runId: string;
  readonly root: string;
  /** The workspace that was named, where the root is a copy of it. */
  readonly source?: string | undefined;
  /** A private folder of the run. */
  readonly folder: string;
  /** Variables that the order adds for the work. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Starts a host and waits until it says what it can do. */
export type OpenHost = (place: HostPlace) => Promise<Host>;

/** The peer broke the protocol, or died. The run ends with a receipt that says so. */
export class ProtocolError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "ProtocolError";
  }
}
