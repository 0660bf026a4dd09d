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
