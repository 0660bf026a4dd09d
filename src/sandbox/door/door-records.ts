import type { Socket } from "node:net";
import type { NetworkLists, Policy } from "../../contract/policy.ts";
import { appendAnchor } from "../../guard/audit/anchor.ts";
import { type AuditSegment, openSegment } from "../../guard/audit/write-audit.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { policyHash } from "../../guard/policy/compiled-policy.ts";
import { redact, secretValues } from "../../guard/redact.ts";
import type { Target } from "../../lib/net/host-pattern.ts";
import { reportedStart } from "./loans.ts";

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

/** What the door remembers of a session. Bounded, whatever commands ask for. */
export interface HostBook {
  /** True if this session has had a connection to this host and port. */
  readonly hasReached: (target: Target) => boolean;
  /** Records a host that may be reached. Throws if that is not possible; it must not be reached then. */
  readonly allow: (target: Target, command: string | undefined) => void;
  /** Counts a refusal, and records the first one of each host. The target is undefined if it could not be read. */
  readonly refuse: (target: Target | undefined, because: string, command: string | undefined) => void;
  /** Counts the bytes of an open connection to a host that was allowed. */
  readonly meter: (target: Target, upstream: Socket) => void;
  readonly traffic: () => readonly HostTraffic[];
}

interface Entry {
  readonly host: string;
  readonly port: number;
  sent: number;
  received: number;
  refused: number;
  reached: boolean;
  readonly commands: Set<string>;
  readonly verdicts: Set<DoorRecord["verdict"]>;
  readonly open: Set<Socket>;
}

/** Hosts that were allowed, hosts that were only refused, and commands kept per host. */
const MAX_ALLOWED = 2000;

const MAX_REFUSED = 500;

const MAX_COMMANDS = 20;

/** Stands for every refused host that is not remembered by itself. */
const OTHERS = "(other hosts)";

export function openBook(onRecord: (record: DoorRecord) => void): HostBook {
  const entries = new Map<string, Entry>();
  let allowed = 0;
  const others = emptyEntry(OTHERS, 0);

  const record = (entry: Entry, verdict: DoorRecord["verdict"], about: Pick<DoorRecord, "because" | "command">) => {
    if (about.command !== undefined && entry.commands.size < MAX_COMMANDS) entry.commands.add(about.command);
    if (entry.verdicts.has(verdict)) return;
    onRecord({ host: entry.host, port: entry.port, verdict, ...about });
    entry.verdicts.add(verdict);
  };

  return {
    hasReached: (target) => entries.get(keyOf(target))?.reached === true,
    allow(target, command) {
      const known = entries.get(keyOf(target));
      const entry = known ?? emptyEntry(target.host, target.port);
      if (!entry.verdicts.has("allow") && allowed >= MAX_ALLOWED)
        throw new Error(`this session has already reached ${MAX_ALLOWED} hosts`);
      const isNew = !entry.verdicts.has("allow");
      record(entry, "allow", { because: "in network.allow, or lent", command });
      if (isNew) allowed++;
      entries.set(keyOf(target), entry);
    },
    refuse(target, because, command) {
      const known = target === undefined ? others : entries.get(keyOf(target));
      const isFull = entries.size - allowed >= MAX_REFUSED;
      const entry = known ?? (target === undefined || isFull ? others : emptyEntry(target.host, target.port));
      if (target !== undefined && entry !== others) entries.set(keyOf(target), entry);
      entry.refused++;
      try {
        record(entry, "deny", { because, command });
      } catch {
        // It stays refused, and the next refusal tries to record it again.
      }
    },
    meter(target, upstream) {
      const entry = entries.get(keyOf(target));
      if (entry === undefined) throw new Error("a host that was not allowed cannot be reached");
      entry.reached = true;
      entry.open.add(upstream);
      upstream.once("close", () => {
        entry.open.delete(upstream);
        entry.sent += upstream.bytesWritten;
        entry.received += upstream.bytesRead;
      });
    },
    traffic: () =>
      [...entries.values(), others]
        .filter((entry) => entry.reached || entry.refused > 0)
        .map((entry) => ({
          host: entry.host,
          port: entry.port,
          sent: [...entry.open].reduce((sum, socket) => sum + socket.bytesWritten, entry.sent),
          received: [...entry.open].reduce((sum, socket) => sum + socket.bytesRead, entry.received),
          refused: entry.refused,
          commands: [...entry.commands],
        })),
  };
}

const keyOf = ({ host, port }: Target) => `${host} ${port}`;

const emptyEntry = (host: string, port: number): Entry => ({
  host,
  port,
  sent: 0,
  received: 0,
  refused: 0,
  reached: false,
  commands: new Set(),
  verdicts: new Set(),
  open: new Set(),
});

interface LogPlace {
  /** The user's signalbox folder. */
  readonly home: string;
  readonly callers: Pick<Callers, "of">;
  readonly policy: Policy;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface DoorLog extends Disposable {
  /** Throws when it cannot be written; the host is then refused. */
  readonly record: (record: DoorRecord) => void;
}

/** Records in the audit log which hosts commands asked for, under the session of each. Opened with the first record. */
export function openDoorLog({ home, callers, policy, environment }: LogPlace): DoorLog {
  let segment: AuditSegment | undefined;
  const values = secretValues(environment);
  return {
    record({ host, port, verdict, because, command }) {
      segment ??= openSegment(home, { now: realMachine.now, anchor: appendAnchor });
      segment.append({
        time: new Date(realMachine.now()).toISOString(),
        ...callers.of(command),
        tool: "network",
        call: redact(JSON.stringify({ host: `${host}:${port}`, command: command ?? null }), { values }).text,
        cwd: policy.workspaceRoot,
        effects: [`network ${host}:${port}`],
        verdict,
        code: verdict === "allow" ? "network" : "network-refused",
        rules: [because],
        policy: policyHash(policy),
      });
    },
    [Symbol.dispose]: () => segment?.[Symbol.dispose](),
  };
}

/** Whose command it is, for the audit log. */
export interface Caller {
  readonly session: string;
  readonly agent: string;
}

/** Who judged which command. The sandbox reports a command only by its text. */
interface Callers {
  note(command: string, caller: Caller): void;
  /**
   * The last who had a command with this text. Where it is not known, the only session that has had commands, or the
   * one that the sandbox was opened for.
   */
  of(command: string | undefined): Caller;
}

const MAX_KNOWN = 1000;

export function openCallers(owner: Caller): Callers {
  const known = new Map<string, Caller>();
  const sessions = new Map<string, Caller>();
  const usual = () => (sessions.size === 1 ? [...sessions.values()][0] : undefined) ?? owner;
  return {
    note(command, caller) {
      const key = reportedStart(command);
      known.delete(key);
      known.set(key, caller);
      if (sessions.size < 2) sessions.set(caller.session, caller);
      for (const [oldest] of known) {
        if (known.size <= MAX_KNOWN) break;
        known.delete(oldest);
      }
    },
    of: (command) => (command === undefined ? undefined : known.get(reportedStart(command))) ?? usual(),
  };
}
