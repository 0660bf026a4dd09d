import type { AgentName } from "../contract/agent.ts";
import type { Capabilities } from "../contract/capability.ts";
import type { BackendIdentity } from "../contract/receipt.ts";
import type { OpenHost } from "../receipts/host.ts";
import type { AcpOptions } from "./acp/acp.ts";
import type { AgentStarter } from "./program/start-agent.ts";

/** A named host, with what is known about it before it is opened. */
export interface NamedHost {
  readonly backend: BackendIdentity;
  readonly capabilities: Capabilities;
  readonly openHost: OpenHost;
  /** Its tool calls can be neither held back nor contained. */
  readonly hasNoHooks?: true;
}

export interface HostParts {
  readonly env: NodeJS.ProcessEnv;
  readonly starter: AgentStarter;
}

/** The host of an agent for which a record reader is not enough. */
export interface OwnHost {
  readonly name: AgentName;
  readonly open: (parts: HostParts) => Promise<NamedHost>;
  /** Whether the environment says how to reach the agent without its own program. */
  readonly isReachable: (env: NodeJS.ProcessEnv) => Promise<boolean>;
  /** Extra options for the agent when connected over ACP. */
  readonly acpOptions: (env: NodeJS.ProcessEnv) => Promise<Partial<AcpOptions>>;
}
