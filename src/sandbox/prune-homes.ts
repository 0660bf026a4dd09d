import { dirname, join } from "node:path";
import { takeLock } from "../lib/lock.ts";
import { makeFolder } from "../lib/make-folder.ts";
import {
  discard,
  lastChanged,
  prunableNames,
  type PruneCandidate,
  pruneCandidates,
  type PruneOrder,
  type PruneReport,
} from "../lib/prune.ts";
import { treeSize } from "../lib/tree-size.ts";
import { homeLock, homesFolder, WRITTEN_AT_START } from "./private-home.ts";

/** Removes private homes of workspaces that no session has used lately, and what killed trials left. */
export function pruneHomes(order: PruneOrder): PruneReport {
  const { names, kept } = prunableNames(homesFolder(order.home));
  const homes = names.map((name) => pruneHome(name, order));
  const trials = prunableNames(order.home).names.filter((name) => /^trial-\w{6}$/.test(name));
  const report = pruneCandidates(
    trials.map((name) => trial(join(order.home, name))),
    order,
  );
  return {
    pruned: [...homes.flatMap(({ pruned }) => pruned), ...report.pruned],
    kept: [...kept, ...homes.flatMap((each) => each.kept), ...report.kept],
  };
}

/** A trial takes seconds. */
const trial = (path: string): PruneCandidate => ({
  what: "a sandbox trial",
  used: lastChanged(path),
  paths: [path],
  mayGo: () => (lastChanged(path) < Date.now() - HOUR_MS ? undefined : "it may still be active"),
});

const HOUR_MS = 3_600_000;

/** Sessions share the lock of their home; nobody else can take it alone while one of them is alive. */
function pruneHome(name: string, order: PruneOrder): PruneReport {
  const folder = join(homesFolder(order.home), name);
  const what = `sandbox home ${name}`;
  const lock = homeLock(order.home, name);
  const isThere = lastChanged(lock) !== -Infinity;
  if (!isThere && !order.dryRun) makeFolder(dirname(lock));
  using held = isThere || !order.dryRun ? takeLock(lock) : NOTHING;
  const used = Math.max(lastChanged(folder), ...WRITTEN_AT_START.map((path) => lastChanged(join(folder, path))));
  if (!(used < order.before)) return { pruned: [], kept: [] };
  if (held === undefined) return { pruned: [], kept: [{ what, because: "a session uses it" }] };
  const bytes = treeSize(folder);
  if (!order.dryRun) discard(order.home, folder);
  return { pruned: [{ what, used, bytes }], kept: [] };
}

const NOTHING: Disposable = { [Symbol.dispose]: () => {} };
