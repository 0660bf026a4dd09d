import { openWorkItems } from "../../tools/items/work-items.ts";

/** Work items whose file is made when the first is needed: most short sessions never have one. */
export function lazyItems(path: string): ReturnType<typeof openWorkItems> {
  let opened: ReturnType<typeof openWorkItems> | undefined;
  const items = () => (opened ??= openWorkItems(path));
  return {
    apply: (changes) => items().apply(changes),
    list: () => items().list(),
    open: () => items().open(),
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  };
}
