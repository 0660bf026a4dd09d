import type { Socket } from "node:net";
import type { Target } from "../../lib/url-target.ts";
import type { DoorRecord, HostTraffic } from "./door-parts.ts";

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
