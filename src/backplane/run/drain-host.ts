import type { AgentEvent } from "../../contract/agent-event.ts";
import { type HostEnd, NO_USAGE } from "../../contract/host-end.ts";
import { ProtocolError } from "../host.ts";
import type { StopCause, StopSwitch } from "./limits.ts";
import type { RunLimits } from "./run-parts.ts";

export interface HostDrain extends Disposable {
  /** All events until the host ends or is cut off. Returns the host's end, or undefined if it was cut off. */
  readonly events: AsyncGenerator<AgentEvent, HostEnd | undefined>;
}

type Pull = { readonly pulled: IteratorResult<AgentEvent, HostEnd> } | "cut off";

const GONE: HostEnd = { outcome: "failed", mode: "mapped", usage: NO_USAGE, usageRaw: null };

/**
 * Reads a host's events under the time limits. Once the run is stopped, the host gets a grace period and is then cut
 * off.
 */
export function drainHost(
  source: AsyncGenerator<AgentEvent, HostEnd>,
  limits: RunLimits & { readonly elapsedMs: number },
  { signal, stop, reason }: StopSwitch,
): HostDrain {
  // A single slot instead of `Promise.race`: racing against a promise that lives as long as the run would leak every
  // loser.
  let interrupt: ((pull: Pull) => void) | undefined;
  let over = false;
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, work: () => void): NodeJS.Timeout => {
    const timer = setTimeout(work, Math.min(ms, 2 ** 31 - 1));
    timers.add(timer);
    return timer;
  };
  const startGrace = (): void => {
    after(graceOf(reason(), limits), () => {
      over = true;
      interrupt?.("cut off");
    });
  };
  const pull = async (): Promise<Pull> => {
    const idle = after(limits.idleMs, () => stop({ stopped: "limit", because: `silent for ${limits.idleMs} ms` }));
    try {
      return await new Promise<Pull>((resolve, reject) => {
        interrupt = resolve;
        source.next().then((pulled) => resolve({ pulled }), reject);
      });
    } finally {
      clearTimeout(idle);
      timers.delete(idle);
    }
  };
  // Also needed when the consumer stops reading, because a leftover timer keeps the process alive.
  const release = () => {
    signal.removeEventListener("abort", startGrace);
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    // Lets the host release its resources. Not awaited, because the host may still be waiting for its agent.
    void source.return(GONE).catch(() => undefined);
  };
  async function* events(): AsyncGenerator<AgentEvent, HostEnd | undefined> {
    after(limits.wallMs - limits.elapsedMs, () => stop(tooLong(limits)));
    try {
      for (;;) {
        const next = await pull();
        if (next === "cut off") return undefined;
        if (next.pulled.done === true) return next.pulled.value;
        if (over) return undefined;
        yield next.pulled.value;
      }
    } catch (error) {
      if (reason() !== undefined) return undefined;
      if (!(error instanceof ProtocolError)) throw error;
      stop({ stopped: "crashed", because: error.message });
      return undefined;
    } finally {
      release();
    }
  }
  if (signal.aborted) startGrace();
  else signal.addEventListener("abort", startGrace);
  return { events: events(), [Symbol.dispose]: release };
}

/** A host that floods the run gets no grace period. */
const graceOf = (why: StopCause | undefined, { graceMs }: RunLimits) => (why?.stopped === "crashed" ? 0 : graceMs);

const tooLong = ({ wallMs }: RunLimits): StopCause => ({ stopped: "limit", because: `more than ${wallMs} ms` });
