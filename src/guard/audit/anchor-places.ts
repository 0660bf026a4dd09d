import { join } from "node:path";

/** Where the audit log's anchors are stored under the signalbox home, apart from its segments. */
export const anchorPlaces = (home: string) => ({
  /** One signed anchor per line. */
  list: join(home, "heads", ANCHOR_LIST),
  head: join(home, "heads", ANCHOR_HEAD),
  lock: join(home, "locks", "audit.sqlite"),
  /** Which segments were removed by `signalbox prune`. */
  pruned: join(home, "heads", PRUNED_SEGMENTS),
});

export const ANCHOR_LIST = "audit.jsonl";
export const ANCHOR_HEAD = "audit.json";
export const PRUNED_SEGMENTS = "audit.pruned.jsonl";
