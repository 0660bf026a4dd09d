/** When the session's own commands ran, so that its changes can be told from the user's. */
export interface Activity {
  /** A tool call of the session starts. */
  readonly began: (call: string) => void;
  readonly ended: (call: string) => void;
  /** Whether a call was running at this time, in nanoseconds since 1970. */
  readonly wroteAt: (nanoseconds: bigint) => boolean;
}

interface Span {
  readonly from: number;
  to: number;
}

/** Files carry the time of the kernel's last tick, so they may look a little older than they are. */
const TICK_MS = 20;
const MAX_SPANS = 10_000;

export function openActivity(now: () => number = Date.now): Activity {
  const running = new Set<string>();
  const spans: Span[] = [];
  const current = () => spans.at(-1);
  return {
    began(call) {
      const last = current();
      if (running.size === 0) {
        // Calls that follow each other closely are one span, so that the list stays short.
        if (last !== undefined && (last.to + TICK_MS >= now() || spans.length >= MAX_SPANS)) last.to = Infinity;
        else spans.push({ from: now(), to: Infinity });
      }
      running.add(call);
    },
    ended(call) {
      const last = current();
      if (running.delete(call) && running.size === 0 && last !== undefined) last.to = now();
    },
    wroteAt(nanoseconds) {
      const time = Number(nanoseconds / 1_000_000n);
      return spans.some(({ from, to }) => time >= from - TICK_MS && time <= to);
    },
  };
}
