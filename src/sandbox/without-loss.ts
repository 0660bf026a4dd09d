import { isInside } from "../lib/inside.ts";
import type { Mount } from "./mount.ts";

const STRICTNESS = { writable: 0, "scratch-folder": 0, "read-only": 1, "empty-folder": 2, "empty-file": 2 } as const;

/** Parents before children, keeping the strictest mount per path. A child never reopens what a parent closes. */
export function withoutLoss(mounts: readonly Mount[]): readonly Mount[] {
  const sorted = mounts.toSorted(
    (one, other) =>
      (one.path < other.path ? -1 : one.path > other.path ? 1 : 0) || STRICTNESS[other.kind] - STRICTNESS[one.kind],
  );
  const result: Mount[] = [];
  for (const mount of sorted) {
    const above = result.filter(({ path }) => isInside(mount.path, path));
    if (above.some(({ path, kind }) => path === mount.path || STRICTNESS[kind] === 2)) continue;
    result.push(mount);
  }
  return result;
}
