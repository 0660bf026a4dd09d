import { realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { ArtifactRef } from "../../contract/receipt.ts";
import { isInside } from "../../lib/inside.ts";
import { isFile } from "../../lib/is-program.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import type { ArtifactStore } from "./artifacts.ts";

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 100;

/** Keeps the files that a host says it left, with hashes of our own. Returns the paths that lead out or cannot be read. */
export function takeArtifacts(refs: readonly ArtifactRef[], root: string, store: ArtifactStore): string[] {
  return refs.flatMap(({ kind, path }, index) => {
    const full = resolve(root, path);
    const there = isFile(full);
    if (index >= MAX_FILES || !there || !isInside(realpathSync(full), realpathSync(root))) return [path];
    try {
      store.write(kind.slice(0, 100), basename(path), readBounded(full, MAX_BYTES).bytes);
      return [];
    } catch {
      return [path];
    }
  });
}
