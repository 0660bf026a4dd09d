import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../../lib/is-record.ts";

/** Whether a server says that it is still working, such as loading a project. */
export interface Busy {
  readonly isBusy: boolean;
  /** How often it has come to rest. */
  readonly rests: number;
  /** Takes the parameters of a progress notification. */
  take(params: unknown): void;
  /** Waits until it is not busy, for a bounded time. */
  rest(limit: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<void>;
  /** Waits a moment for it to say that it is loading. Without that its first answers can be incomplete. */
  begin(signal: AbortSignal): Promise<void>;
}

const MAX_TASKS = 1000;
const STEP_MS = 50;
const BEGIN_MS = 300;

export function busyServer(): Busy {
  const tasks = new Set<string>();
  let rests = 0;
  const wait = async (goesOn: () => boolean, ms: number, signal: AbortSignal) => {
    const end = Date.now() + ms;
    while (goesOn() && Date.now() < end && !signal.aborted)
      await sleep(STEP_MS, undefined, { signal }).catch(() => undefined);
  };
  return {
    get isBusy() {
      return tasks.size > 0;
    },
    get rests() {
      return rests;
    },
    take(params) {
      const { token, value } = isRecord(params) ? params : {};
      const kind = isRecord(value) ? value["kind"] : undefined;
      const task = String(token).slice(0, 200);
      if (kind === "begin" && tasks.size < MAX_TASKS) tasks.add(task);
      else if (kind === "end" && tasks.delete(task) && tasks.size === 0) rests++;
    },
    rest: ({ signal, timeoutMs }) => wait(() => tasks.size > 0, timeoutMs, signal),
    begin: (signal) => wait(() => tasks.size === 0 && rests === 0, BEGIN_MS, signal),
  };
}
