import { lstatSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SealPredicate } from "../../contract/seal.ts";
import { hashFile } from "../../lib/files/hash-file.ts";
import { openFolder } from "../../lib/files/open-folder.ts";
import {
  type KeptItem,
  lastChanged,
  prunableNames,
  type PruneCandidate,
  pruneCandidates,
  type PrunedItem,
  type PruneOrder,
  type PruneReport,
} from "../../lib/files/prune.ts";
import type { Tombstone } from "../../lib/files/tombstones.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import { ownerLife, ownerOf } from "../../lib/process/folder-owner.ts";
import { receiptFileName, storePlaces } from "../seal/chain.ts";
import { listReceipts } from "../seal/find-receipt.ts";
import { readSealKey, sealedHash } from "../seal/seal.ts";
import { artifactTombstone, receiptTombstone, recordPruned } from "../seal/verify-store.ts";
import { ARTIFACTS_FOLDER } from "../workspace/artifacts.ts";
import { type KnownRun, readRuns, type UnreadRun, withRunLock } from "./known-runs.ts";
import { isClean, runsFolder } from "./run-log.ts";

/**
 * Removes the folders of old runs and their artifacts. Receipts and seals stay. What a seal covers is recorded as
 * pruned before it is removed, and only if it is still what the seal says.
 */
export async function pruneRuns(order: PruneOrder): Promise<PruneReport> {
  const { names, kept } = prunableNames(runsFolder(order.home));
  if (names.length === 0) return { pruned: [], kept };
  if (order.dryRun) return prune(order);
  return await withRunLock(order.home, () => prune(order));
}

function prune(order: PruneOrder): PruneReport {
  const { home, before, dryRun } = order;
  const sealed = sealTimes(home);
  const { runs: known, unread } = readRuns(home);
  const old = known.filter((run) => usedAt(run, sealed) < before && mayGo(run) === undefined);
  const artifacts = old.map((run) => artifactsOf(sealed.get(run.header.run_id)?.predicate));
  const key = readSealKey(home);
  if (!dryRun && key !== undefined)
    recordPruned(
      home,
      key,
      artifacts.flatMap(({ items }) => items),
    );
  if (!dryRun) for (const each of artifacts) each.remove();
  const report = pruneCandidates(candidates(home, known, unread, sealed), order);
  const bytes = artifacts.flatMap(({ items }) => items).reduce((sum, item) => sum + item.bytes, 0);
  const count = artifacts.reduce((sum, { items }) => sum + items.length, 0);
  const all = { what: `${count} artifacts of these runs`, used: before, bytes };
  return {
    pruned: count === 0 ? report.pruned : [...report.pruned, all],
    kept: [...report.kept, ...artifacts.flatMap((each) => each.kept)],
  };
}

/** Removes old receipts; see `pruneReceipts`. */
export async function pruneReceiptsOfRuns(order: PruneOrder): Promise<PruneReport> {
  const work = () => {
    const sealed = sealTimes(order.home);
    const { runs, unread } = readRuns(order.home);
    const open = new Set([
      ...unread.map(({ id }) => id),
      ...runs.filter((run) => mayGo(run) !== undefined).map(({ header }) => header.run_id),
    ]);
    return pruneReceipts(order, sealed, open);
  };
  return order.dryRun ? work() : await withRunLock(order.home, work);
}

function candidates(
  home: string,
  known: readonly KnownRun[],
  unread: readonly UnreadRun[],
  sealed: Seals,
): readonly PruneCandidate[] {
  const begun = new Set(known.map(({ folder }) => basename(folder)));
  const unbegun = prunableNames(runsFolder(home)).names.filter((name) => RUN.test(name) && !begun.has(name));
  return [
    ...known.map((run) => ({
      what: `run ${run.header.run_id}`,
      used: usedAt(run, sealed),
      paths: [run.folder],
      mayGo: () => mayGo(run),
    })),
    ...unbegun.map((name) => abandoned(join(runsFolder(home), name), unread.find(({ id }) => id === name)?.because)),
  ];
}

const RUN = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** A folder whose run never began, or was written by a signalbox that we do not understand. */
function abandoned(folder: string, unread: string | undefined): PruneCandidate {
  return {
    what: `run ${basename(folder)}`,
    used: lastChanged(folder),
    paths: [folder],
    mayGo() {
      if (unread !== undefined) return unread;
      return ownerOf(folder) === undefined || ownerLife(folder) === "dead" ? undefined : MAY_LIVE;
    },
  };
}

const MAY_LIVE = "it may still be active";

function mayGo({ folder, end }: KnownRun): string | undefined {
  if (ownerOf(folder) !== undefined && ownerLife(folder) !== "dead") return MAY_LIVE;
  if (end === undefined || !isClean(folder)) return "it has not ended: see signalbox runs";
  return undefined;
}

type Seals = ReadonlyMap<string, { readonly predicate: SealPredicate; readonly at: number }>;

/**
 * The seal of each run, and when it was made. A clock that was set back cannot make a run older than one sealed before
 * it.
 */
function sealTimes(home: string): Seals {
  let newest = -Infinity;
  return new Map(
    listReceipts(home).map(({ statement: { predicate } }) => {
      newest = Math.max(newest, time(predicate.sealed_at));
      return [predicate.run_id, { predicate, at: newest }];
    }),
  );
}

/** A time that cannot be read is never old. */
const time = (text: string) => {
  const at = Date.parse(text);
  return Number.isNaN(at) ? Infinity : at;
};

function usedAt({ folder, header, end }: KnownRun, sealed: Seals): number {
  return Math.max(
    time(end?.finished_at ?? header.started_at),
    lastChanged(join(folder, "closed.json")),
    sealed.get(header.run_id)?.at ?? -Infinity,
  );
}

interface RunArtifacts {
  readonly items: readonly Tombstone[];
  readonly kept: readonly KeptItem[];
  readonly remove: () => void;
}

const NONE: RunArtifacts = { items: [], kept: [], remove: () => {} };

/** The artifacts of a run that are still what its seal says. The way to them never leads through a link. */
function artifactsOf(predicate: SealPredicate | undefined): RunArtifacts {
  const root = predicate?.artifacts_folder ?? undefined;
  if (predicate === undefined || root === undefined || !isFolder(root)) return NONE;
  const { run_id: run } = predicate;
  const names = [ARTIFACTS_FOLDER, "artifacts", run];
  const own = predicate.artifacts.filter(({ path }) => dirname(path) === names.join("/"));
  const look = own.map((artifact) => ({ artifact, state: stateOf(root, names, artifact) }));
  const good = look.filter(({ state }) => state === "sealed").map(({ artifact }) => artifact);
  return {
    items: good.map((artifact) => ({ ...artifactTombstone(run, artifact), bytes: artifact.size })),
    kept: look
      .filter(({ state }) => state === "changed")
      .map(({ artifact: { path } }) => ({
        what: join(root, path),
        because: "it was changed: see signalbox receipt verify",
      })),
    remove: () =>
      removeFiles(
        root,
        names,
        good.map(({ path }) => basename(path)),
      ),
  };
}

function stateOf(root: string, names: readonly string[], { path, sha256 }: SealPredicate["artifacts"][number]) {
  try {
    using folder = openFolder(root, names, false);
    if (folder === undefined) return "gone";
    const file = folder.at(basename(path));
    if (lastChanged(file) === -Infinity) return "gone";
    return hashFile(file) === sha256 ? "sealed" : "changed";
  } catch {
    // A link or something else is in the way, or it is not a file.
    return "changed";
  }
}

function removeFiles(root: string, names: readonly string[], files: readonly string[]): void {
  try {
    using folder = openFolder(root, names, false);
    for (const file of files) rmSync(folder?.at(file) ?? "", { force: true });
    using parent = openFolder(root, names.slice(0, -1), false);
    rmdirSync(parent?.at(names.at(-1) ?? "") ?? "");
  } catch {
    // It is recorded as pruned; the rest of its folder is not ours.
  }
}

/** Removes old receipts. Their seals stay in the chain. A receipt that is not what its seal says stays too. */
function pruneReceipts({ home, before, dryRun }: PruneOrder, sealed: Seals, open: ReadonlySet<string>): PruneReport {
  const key = readSealKey(home);
  if (key === undefined) return { pruned: [], kept: [] };
  const kept: KeptItem[] = [];
  const old = listReceipts(home).flatMap(({ statement }) => {
    const { run_id: run } = statement.predicate;
    const file = join(storePlaces(home).folder, receiptFileName(run));
    const stat = lstatSync(file, { throwIfNoEntry: false });
    const used = Math.max(sealed.get(run)?.at ?? Infinity, stat?.mtimeMs ?? Infinity);
    if (stat === undefined || !(used < before)) return [];
    const because = whyNot(file, sealedHash(statement), open.has(run));
    if (because !== undefined) kept.push({ what: `receipt ${run}`, because });
    return because === undefined ? [{ run, file, statement, used, bytes: stat.size }] : [];
  });
  if (!dryRun) {
    recordPruned(
      home,
      key,
      old.map(({ statement, bytes }) => ({ ...receiptTombstone(statement), bytes })),
    );
    for (const { file } of old) rmSync(file, { force: true });
  }
  const pruned = old.map(({ run, used, bytes }): PrunedItem => ({ what: `receipt ${run}`, used, bytes }));
  return { pruned, kept };
}

function whyNot(file: string, sealed: string | undefined, isOpen: boolean): string | undefined {
  if (isOpen) return "its run is not closed yet: see signalbox runs";
  try {
    return hashFile(file) === sealed ? undefined : "it was changed: see signalbox receipt verify";
  } catch {
    return "it cannot be read";
  }
}
