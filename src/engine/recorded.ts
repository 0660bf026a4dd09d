import type { History } from "../contract/history.ts";

/**
 * Applies every event to the history before anyone else sees it, so that yielding an event is the only way to change
 * the history. Events of work beside the loop are yielded with the others.
 */
export async function* recorded<Event extends { readonly type: string }, Result>(
  events: AsyncGenerator<Event, Result>,
  history: Pick<History, "apply">,
  beside: Event[],
): AsyncGenerator<Event, Result> {
  // A reader that stops early ends the events as well.
  await using source = events;
  for (let next = await source.next(); ; next = await source.next()) {
    yield* beside.splice(0);
    if (next.done === true) return next.value;
    history.apply(next.value);
    yield next.value;
  }
}
