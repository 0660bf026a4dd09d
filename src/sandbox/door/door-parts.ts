import type { Socket } from "node:net";
import type { NetworkLists } from "../../contract/policy.ts";

/** What the door needs from the session. */
export interface DoorParts {
  /** The lists of the policy, asked for anew for each request, so that a changed policy counts at once. */
  readonly policy: () => NetworkLists;
  /** The running command with this id (the proxy user name), or undefined for an id that is not known. */
  readonly commandOf: (id: string) => string | undefined;
  /** True for a host that a person lent to this one command. */
  readonly isLent: (id: string, host: string, port: number) => boolean;
  /** While true, only hosts that this session has reached before are open, and nothing is lent. */
  readonly isTainted: () => boolean;
  /** Called once per host, port and verdict, before the connection is made. If it throws, the request is refused. */
  readonly onRecord: (record: DoorRecord) => void;
  /** Called once per command and refusal, so that the text can be shown on the command's stderr. */
  readonly onRefused: (id: string, text: string) => void;
  /** The addresses of a name. Called once per request. */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
  /** Opens a connection to one of the addresses that were judged. */
  readonly connect?: ((addresses: readonly string[], port: number) => Socket) | undefined;
  /** The addresses of this machine's own network interfaces, which are closed like private ones. */
  readonly ownAddresses?: (() => readonly string[]) | undefined;
  readonly limits?: Partial<DoorLimits> | undefined;
}

/** One line for the audit log. */
export interface DoorRecord {
  readonly host: string;
  readonly port: number;
  readonly verdict: "allow" | "deny";
  readonly because: string;
  /** The command that asked; undefined if it did not say who it is. */
  readonly command: string | undefined;
}

/** What went to and from one host and port, for the receipt. */
export interface HostTraffic {
  readonly host: string;
  readonly port: number;
  /** Bytes to the host and from it. */
  readonly sent: number;
  readonly received: number;
  /** How many requests were refused. */
  readonly refused: number;
  /** The commands that asked, each once, at most `MAX_COMMANDS`. */
  readonly commands: readonly string[];
}

/** Times are in milliseconds. */
export interface DoorLimits {
  /** Connections at a time; each may need a second one to the host. One more gets a 503. */
  readonly connections: number;
  /** For a client to say what it wants, from its first byte or the end of its last request. */
  readonly requestTime: number;
  readonly resolveTime: number;
  readonly connectTime: number;
  /** For an open connection on which nothing moves. */
  readonly idleTime: number;
  readonly headerBytes: number;
}

/** The idle limit is long because of long polls and installs that compile between two downloads. */
export const DOOR_LIMITS: DoorLimits = {
  connections: 256,
  requestTime: 30_000,
  resolveTime: 10_000,
  connectTime: 20_000,
  idleTime: 30 * 60_000,
  headerBytes: 32_768,
};
