import { isThere } from "./additions.ts";
import type { Addition, Change, OwnFile, Purpose } from "./sources/change.ts";
import { decideAdditions, type FileDecision, decideOwn } from "./decide-file.ts";
import { Unfit } from "./json-tree.ts";
import type { Manifest, StagedFile } from "./manifest.ts";
import { lookAt, type RepositoryFile, writeProblem } from "./repository-file.ts";

/** One file: its current state, what happens to it, and what the manifest recorded about it. */
export interface StagingStep {
  readonly now: RepositoryFile;
  readonly decision: FileDecision;
  readonly old: StagedFile | undefined;
  readonly purposes: readonly Purpose[];
  /** The purposes whose part is missing or wrong. */
  readonly lacking: readonly Purpose[];
}

/** What must happen to every file that is wanted or was staged. */
export function planSteps(
  root: string,
  changes: readonly Change[],
  manifest: Manifest | undefined,
): readonly StagingStep[] {
  const staged = manifest?.files ?? [];
  const paths = new Set([...changes, ...staged].map(({ path }) => path));
  // A link and its target are the same file.
  const groups = new Map<string, { readonly seen: Seen; readonly paths: string[] }>();
  for (const path of paths) {
    const seen = look(root, path);
    const group = groups.get(seen.now.path) ?? { seen, paths: [] };
    group.paths.push(path);
    groups.set(seen.now.path, group);
  }
  return [...groups.values()].map(({ seen: { now, unfit }, paths: names }) => {
    const own = changes.filter(({ path }) => names.includes(path));
    const old = staged.find(({ path }) => names.includes(path));
    const decided: FileDecision =
      unfit === undefined ? decide(now, own, old) : { does: "keep", because: unfit, record: old };
    // Recorded under the link's name, because its target may not be one of our places.
    const { record } = decided;
    const decision = record === undefined ? decided : { ...decided, record: { ...record, path: names[0] ?? now.path } };
    const lacking = own.filter((change) => isLacking(now, change)).map(({ purpose }) => purpose);
    return { now, old, decision, lacking, purposes: own.map(({ purpose }) => purpose) };
  });
}

function isLacking({ bytes }: RepositoryFile, change: Change): boolean {
  if (change.kind === "file" || bytes === undefined) return true;
  try {
    return !isThere(bytes.toString("utf8"), change);
  } catch {
    return true;
  }
}

interface Seen {
  readonly now: RepositoryFile;
  readonly unfit?: string;
}

function look(root: string, path: string): Seen {
  try {
    return { now: lookAt(root, path) };
  } catch (error) {
    return { now: { path, bytes: undefined, mode: 0o644, locked: undefined }, unfit: writeProblem(error) };
  }
}

function decide(now: RepositoryFile, changes: readonly Change[], old: StagedFile | undefined): FileDecision {
  try {
    const decision = decideKind(now, changes, old);
    if (now.locked === undefined || decision.does === "nothing" || decision.does === "keep") return decision;
    return { does: "keep", because: now.locked, record: old };
  } catch (error) {
    if (error instanceof Unfit) return { does: "keep", because: error.message, record: old };
    throw error;
  }
}

function decideKind(now: RepositoryFile, changes: readonly Change[], old: StagedFile | undefined): FileDecision {
  const own = changes.find((change): change is OwnFile => change.kind === "file");
  const additions = changes.filter((change): change is Addition => change.kind !== "file");
  const whole = own !== undefined || (additions.length === 0 && old?.additions === null);
  if (old !== undefined && changes.length > 0 && whole !== (old.additions === null))
    return { does: "keep", because: "it was staged in a different form; run signalbox unstage first", record: old };
  return whole ? decideOwn(now, own, old) : decideAdditions(now, unique(additions), old);
}

/** Two agents may read the same file, or one's file may be a link to the other's. */
function unique(additions: readonly Addition[]): readonly Addition[] {
  const seen = new Set<string>();
  return additions.filter(({ path: _path, purpose: _purpose, ...essence }) => {
    const key = JSON.stringify(essence);
    return seen.has(key) ? false : seen.add(key);
  });
}
