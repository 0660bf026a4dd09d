import { join } from "node:path";

/** Where the anchors of the audit log are kept under the home of signalbox, away from its segments. */
export const anchorPlaces = (home: string) => ({
  /** One signed anchor a line. */
  list: join(home, "heads", ANCHOR_LIST),
  head: join(home, "heads", ANCHOR_HEAD),
  lock: join(home, "locks", "audit.sqlite"),
});

export const ANCHOR_LIST = "audit.jsonl";
export const ANCHOR_HEAD = "audit.json";
