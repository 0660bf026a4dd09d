import type { SessionUpdate, Stream } from "@agentclientprotocol/sdk";
import type { HostJob } from "../../backplane/host.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { AsyncQueue } from "../../lib/async-queue.ts";
import type { BlockedCalls } from "./permission.ts";
import type { AcpCalls } from "./tool-calls.ts";

/** A connected agent, whatever the transport. */
export interface AcpPeer extends AsyncDisposable {
  readonly stream: Stream;
  /** Waits for the agent to end and describes how it ended. */
  readonly ending: () => Promise<string>;
}

/** The single session of a run. */
export interface AcpSession {
  readonly job: HostJob;
  readonly calls: AcpCalls;
  readonly blocked: BlockedCalls;
  readonly events: AsyncQueue<AgentEvent>;
  readonly update: (update: SessionUpdate) => void;
  /** Emits events, preceded by any text that came before them. */
  readonly tell: (events: readonly AgentEvent[], raw?: unknown) => void;
  /** Emits the text that came so far as one message. */
  readonly flush: (ext?: AgentEvent["ext"]) => void;
}
