import type { AgentEvent } from "../contract/agent-event.ts";
import type { Capabilities } from "../contract/capability.ts";
import type { BackendIdentity, HostEnd, Usage } from "../contract/receipt.ts";
import type { ContainmentFacts } from "../contract/seal.ts";
import type { WorkOrder } from "../contract/work-order.ts";
import type { Policy } from "../contract/policy.ts";
import type { Recovery } from "../snapshots/recovery.ts";
import type { Decision, Verdict } from "../contract/verdict.ts";
import type { AgentCall, CallContainment } from "../contract/agent-call.ts";

/** Runs work orders. Either a program that speaks the protocol, or an adapter in our own process. */
export interface Host extends AsyncDisposable {
  readonly backend: BackendIdentity;
  readonly capabilities: Capabilities;
  /** The program that does the work, as far as we know. */
  readonly agent: AgentIdentity;
  /** True if none of the agent's tools can run before `decide` has allowed the call. */
  readonly holds: boolean;
  /** Where its commands run, as far as this is known. */
  readonly containment?: (() => ContainmentFacts | undefined) | undefined;
  /**
   * Runs one order and yields events as they happen. Throws a ProtocolError when the peer dies or breaks the protocol.
   * When `signal` is aborted, it ends soon with the outcome so far. Disposing the host ends all its processes.
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
  /** The order, with `workspace.root` set to where the work happens. */
  readonly order: WorkOrder;
  readonly signal: AbortSignal;
  /**
   * Decides whether a call may run. A host that can hold calls back asks first and obeys. The call, and the result of a
   * denied one, are in the trace even if the host does not report them.
   */
  readonly decide: Decide;
  /** Like `decide`, for what is not a call of its own: a second question about one, or a file of the order. */
  readonly judge: Decide;
  /** Records how hooks in front of the agent answered a call. They asked `judge` about it, and have rules of their own. */
  readonly answered: (call: HeldCall, answer: CallAnswer) => void;
  /** Like `decide`, but waits for the caller's answer where the rules ask for approval. Missing when nobody answers. */
  readonly approve?: ((call: HeldCall, containment?: CallContainment) => Promise<Decision>) | undefined;
  /** Says what could be restored if a command deleted it now. */
  readonly recovery?: Pick<Recovery, "recoverable" | "began" | "ended"> | undefined;
  /**
   * Set from the second round on. A host that can continue the conversation does, with this prompt. For any other, the
   * order's task says all that a fresh agent needs.
   */
  readonly followUp?: FollowUp | undefined;
}

/** A check that failed, to be handed back to the agent. */
export interface FollowUp {
  /** The number of this round, from 2. */
  readonly round: number;
  /** What to say in the conversation of the round before. */
  readonly prompt: string;
  /** The id that the host reported for it; undefined if it reported none. */
  readonly session: string | undefined;
  /** What all rounds before have used. */
  readonly used: Usage;
}

export type Decide = (call: HeldCall, containment?: CallContainment) => Decision;

export interface CallAnswer {
  readonly verdict: Verdict;
  readonly because: string;
}

/** The decision about a call of a host that can wait for an answer. */
export async function decideOrAsk(job: HostJob, call: HeldCall): Promise<Decision> {
  return (await job.approve?.(call)) ?? job.decide(call);
}

export interface HeldCall extends AgentCall {
  /** The id that this call's event will have. */
  readonly id?: string | undefined;
  /** The user has approved questions about this tool in advance. A denial is still a denial. */
  readonly isApproved?: boolean | undefined;
}

export interface HostPlace {
  readonly runId: string;
  readonly root: string;
  /** The user's workspace, if `root` is a copy of it. */
  readonly source?: string | undefined;
  /** The run's private folder. */
  readonly folder: string;
  /** Extra environment variables from the order. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The rules in effect at `root`, without those of the order. A host whose commands they require to be contained obeys. */
  readonly policy?: Policy | undefined;
}

/** Starts a host and waits until it has reported its capabilities. */
export type OpenHost = (place: HostPlace) => Promise<Host>;

/** The peer broke the protocol or died. The run still ends with a receipt, which says so. */
export class ProtocolError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "ProtocolError";
  }
}
