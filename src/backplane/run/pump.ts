import type { AgentEvent } from "../../contract/agent-event.ts";
import { type HostEnd, NO_USAGE } from "../../contract/host-end.ts";
import { ProtocolError } from "../protocol/protocol-error.ts";
import type { RunLimits, Stop } from "./limits.ts";

/** How the reading of a host ended: with its own word, or because it was stopped. */
type PumpEnd =
  | { readonly end: HostEnd; readonly stop: Stop | undefined }
  | { readonly end: undefined; readonly stop: Stop };

export interface Pump extends Disposable {
  /** Every event of the host until it ends or has to. */
  readonly events: AsyncGenerator<AgentEvent, PumpEnd>;
  /** Tells the host to end; after the grace it is no longer listened to. The first reason stays. */
  readonly stop: (stop: Stop) => void;
}

type Pull = { readonly pulled: IteratorResult<AgentEvent, HostEnd> } | { readonly silence: Stop };

const GONE: HostEnd = { outcome: "failed", mode: "mapped", usage: NO_USAGE, usageRaw: null };

/** Reads a host under the time limits. `cancel` is aborted as soon as it has to end. */
export function pump(source: AsyncGenerator<AgentEvent, HostEnd>, limits: RunLimits, cancel: AbortController): Pump {
  let reason: Stop | undefined;
  // One slot, not a race: a race with a promise that lives as long as the run keeps every loser in memory.
  let interrupt: ((pull: Pull) => void) | undefined;
  let over = false;
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, work: () => void): NodeJS.Timeout => {
    const timer = setTimeout(work, Math.min(ms, 2 ** 31 - 1));
    timers.add(timer);
    return timer;
  };
  const stop = (why: Stop): void => {
    if (reason !== undefined) return;
    reason = why;
    cancel.abort(new Error(why.because));
    // One that floods is not given a moment more.
    after(why.stopped === "crashed" ? 0 : limits.graceMs, () => {
      over = true;
      interrupt?.({ silence: why });
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
  // Also for one who stops reading: a timer that is left keeps the whole process waiting.
  const release = () => {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    // Lets the host put down what it holds; it may still be waiting for its agent, so nobody waits for it.
    void source.return(GONE).catch(() => undefined);
  };
  async function* events(): AsyncGenerator<AgentEvent, PumpEnd> {
    after(limits.wallMs, () => stop({ stopped: "limit", because: `more than ${limits.wallMs} ms` }));
    try {
      for (;;) {
        const next = await pull();
        if ("silence" in next) return { end: undefined, stop: next.silence };
        if (next.pulled.done === true) return { end: next.pulled.value, stop: reason };
        if (over && reason !== undefined) return { end: undefined, stop: reason };
        yield next.pulled.value;
      }
    } catch (error) {
      if (reason !== undefined) return { end: undefined, stop: reason };
      if (!(error instanceof ProtocolError)) throw error;
      return { end: undefined, stop: { stopped: "crashed", because: error.message } };
    } finally {
      release();
    }
  }
  return { events: events(), stop, [Symbol.dispose]: release };
}
