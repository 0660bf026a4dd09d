import { basename } from "node:path";
import { ownerLife, ownerOf } from "../lib/folder-owner.ts";
import {
  lastChanged,
  prunableNames,
  type PruneCandidate,
  pruneCandidates,
  type PruneOrder,
  type PruneReport,
} from "../lib/prune.ts";
import { readSnapshot, type SavedSession, sessionFolder, snapshotsFolder } from "./saved-session.ts";

/** Removes old snapshots whose id the caller asks for. A session that may be alive keeps its own. */
export function pruneSaved(order: PruneOrder, wants: (id: string) => boolean): PruneReport {
  const { names, kept } = prunableNames(snapshotsFolder(order.home));
  const report = pruneCandidates(
    names.filter(wants).map((name) => candidate(order.home, name)),
    order,
  );
  return { pruned: report.pruned, kept: [...kept, ...report.kept] };
}

function candidate(home: string, name: string): PruneCandidate {
  const folder = sessionFolder(home, name);
  const read = readSnapshot(home, name);
  const saved = typeof read === "object" ? read : undefined;
  return {
    what: `snapshot ${basename(folder)}`,
    used: saved === undefined ? lastChanged(folder) : usedAt(saved),
    paths: [folder],
    mayGo() {
      if (typeof read === "string") return read;
      // An ended session has no owner, unless somebody is just restoring it.
      if (ownerOf(folder) !== undefined)
        return ownerLife(folder) === "dead" ? undefined : "its session may still be active";
      return saved === undefined || saved.manifest.ended_at !== null ? undefined : "its session may still be active";
    },
  };
}

function usedAt({ folder, manifest }: SavedSession): number {
  const at = Date.parse(manifest.ended_at ?? manifest.started_at);
  // A restore rewrites the manifest, which changes the time of the folder.
  return Math.max(Number.isNaN(at) ? Infinity : at, lastChanged(folder));
}
