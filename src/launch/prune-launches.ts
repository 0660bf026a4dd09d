import { join } from "node:path";
import { launchesFolder } from "../hooks/server-address.ts";
import { ownerLife, ownerOf } from "../lib/folder-owner.ts";
import { lastChanged, prunableNames, pruneCandidates, type PruneOrder, type PruneReport } from "../lib/prune.ts";

/** Launches before the file format with owners, and launches that are just being created, have none. */
const OWNERLESS_MS = 86_400_000;

/** Removes what launches left: folders of killed ones, files taken out of sandboxes, and counts of refused stops. */
export function pruneLaunches(order: PruneOrder): PruneReport {
  const places = [
    { folder: launchesFolder(order.home), what: "launch", mayGo: mayLaunchGo },
    { folder: join(order.home, "kept"), what: "kept files", mayGo: () => undefined },
    { folder: join(order.home, "stops"), what: "refused stops", mayGo: () => undefined },
  ];
  const reports = places.map(({ folder, what, mayGo }) => {
    const { names, kept } = prunableNames(folder);
    const candidates = names.map((name) => {
      const path = join(folder, name);
      return { what: `${what} ${name}`, used: lastChanged(path), paths: [path], mayGo: () => mayGo(path) };
    });
    const report = pruneCandidates(candidates, order);
    return { pruned: report.pruned, kept: [...kept, ...report.kept] };
  });
  return {
    pruned: reports.flatMap(({ pruned }) => pruned),
    kept: reports.flatMap(({ kept }) => kept),
  };
}

function mayLaunchGo(folder: string): string | undefined {
  if (ownerOf(folder) !== undefined) return ownerLife(folder) === "dead" ? undefined : "it may still be running";
  return lastChanged(folder) < Date.now() - OWNERLESS_MS ? undefined : "it may just be starting";
}
