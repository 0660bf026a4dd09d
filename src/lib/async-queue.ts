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
