import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../text/user-error.ts";

/** A task that reports while it works. */
export type Task<Event> = (emit: (event: Event) => void) => Promise<void>;

/**
 * Runs tasks, at most `limit` at a time, and yields their reports in the order they arrive.
 * The first task that throws ends the whole once the other running tasks have settled.
 */
export async function* merge<Event>(tasks: readonly Task<Event>[], limit: number): AsyncGenerator<Event> {
  const waiting = [...tasks];
  const reported: Event[] = [];
  let wake = Promise.withResolvers<void>();
  let running = 0;
  let failure: { readonly error: unknown } | undefined;

  const emit = (event: Event) => {
    reported.push(event);
    wake.resolve();
  };
  const start = async (task: Task<Event>) => {
    running++;
    try {
      await task(emit);
    } catch (error) {
      failure ??= { error };
    }
    running--;
    wake.resolve();
  };

  while (true) {
    while (failure === undefined && running < limit) {
      const task = waiting.shift();
      if (task === undefined) break;
      void start(task);
    }
    for (let event = reported.shift(); event !== undefined; event = reported.shift()) yield event;
    if (running === 0 && reported.length === 0 && (waiting.length === 0 || failure !== undefined)) break;
    if (reported.length === 0 && running > 0) {
      await wake.promise;
      wake = Promise.withResolvers();
    }
  }
  if (failure !== undefined) throw failure.error;
}

/** Passes on every value of a generator, and returns what it returns. */
export async function drained<Value, Result>(
  values: AsyncGenerator<Value, Result>,
  see: (value: Value) => Promise<void> | void,
): Promise<Result> {
  for (let next = await values.next(); ; next = await values.next()) {
    if (next.done === true) return next.value;
    await see(next.value);
  }
}

export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Lets pieces of work wait for each other, in the order they come. A failure does not stop the next one. */
export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

/** Settles when a signal aborts, at once if it already has. Nobody is told any more once `done` aborts. */
export const whenAborted = (signal: AbortSignal, done?: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    const ends = done === undefined ? {} : { signal: done };
    signal.addEventListener("abort", () => resolve(undefined), { once: true, ...ends });
  });

/** The result of some work, which is not waited for any longer when the signal aborts. */
export async function interruptible<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const done = new AbortController();
  const stopped = whenAborted(signal, done.signal).then(() => {
    throw new Error("interrupted");
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    done.abort();
  }
}

/** Values from callbacks, pulled in order by one reader. */
export interface AsyncQueue<Value> extends AsyncIterable<Value> {
  push(value: Value): void;
  /** Ends the iteration once everything pushed has been read. With an error, the iteration then throws it. */
  end(error?: unknown): void;
}

export function asyncQueue<Value>(): AsyncQueue<Value> {
  const waiting: Value[] = [];
  let ended: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push(value) {
      if (ended !== undefined) return;
      waiting.push(value);
      notify();
    },
    end(error) {
      ended ??= { error };
      notify();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.splice(0);
        yield* next;
        if (next.length > 0) continue;
        if (ended?.error !== undefined) throw ended.error;
        if (ended !== undefined) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** Runs every cleanup step in order, even if others fail. A failed step becomes a warning. */
export function endAll(steps: readonly (() => void)[], warn: (text: string) => void): void {
  for (const step of steps)
    try {
      step();
    } catch (error) {
      warn(`cleanup failed: ${messageOf(error)}`);
    }
}

/** Real time and randomness. An interrupted pause throws the signal's reason. */
export const realClock = {
  now: () => performance.now(),
  random: () => Math.random(),
  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await sleep(milliseconds, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};
