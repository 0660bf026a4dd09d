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
