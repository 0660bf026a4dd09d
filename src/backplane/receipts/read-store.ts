import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { folderNames } from "../../lib/folder-names.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { MAX_RECEIPT_BYTES } from "./read-receipt.ts";
import { CHAIN, storePlaces } from "./store-places.ts";
import type { StoreView } from "./verify-store.ts";

/** What lies in the store under `home`. Receipts are read when they are asked for. */
export function readStore(home: string): StoreView {
  const places = storePlaces(home);
  const names = folderNames(places.folder);
  return {
    chain: names.includes(CHAIN) ? readFileSync(places.chain) : undefined,
    head: existsSync(places.head) ? readFileSync(places.head) : undefined,
    names: names.filter((name) => name !== CHAIN),
    read: (name) => readIfThere(join(places.folder, name)),
  };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readBounded(path, MAX_RECEIPT_BYTES).bytes;
  } catch {
    // Gone, or no file at all: the check says so.
    return undefined;
  }
}
