import type { SessionUpdate, Stream } from "@agentclientprotocol/sdk";
import type { HostJob } from "../../backplane/host.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { AsyncQueue } from "../../lib/async-queue.ts";
import type { AcpCalls } from "./tool-calls.ts";

/** An agent that can be spoken to, however it was reached. */
export interface AcpPeer extends AsyncDisposable {
  readonly stream: Stream;
  /** How it ended, in words; waits for the end. */
  readonly ending: () => Promise<string>;
}

/** What is known of the one session of a run. */
export interface AcpSession {
  readonly job: HostJob;
  readonly calls: AcpCalls;
  readonly events: AsyncQueue<AgentEvent>;
  readonly update: (update: SessionUpdate) => void;
  /** Shows events, after the text that came before them. */
  readonly tell: (events: readonly AgentEvent[]) => void;
}
