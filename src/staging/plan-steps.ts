import { sha256 } from "../lib/json/sha256.ts";
import { adopt, insert, isRecorded, isThere, takeOut } from "./additions.ts";
import { Unfit } from "./json-edit.ts";
import type { Manifest, RecordedAddition, StagedFile } from "./manifest.ts";
import { lookAt, type RepositoryFile, writeProblem } from "./repository-file.ts";
import type { Addition, Change, OwnFile, Purpose } from "./sources/change.ts";

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

/** What to do with one file, and what the manifest records about it afterwards. */
export type FileDecision = { readonly record?: StagedFile | undefined } & (
  | { readonly does: "nothing" }
  | { readonly does: "write"; readonly bytes: Buffer; readonly executable?: boolean }
  | { readonly does: "delete" }
  /** The file is left as it is, and the user is told. */
  | { readonly does: "keep"; readonly because: string }
);

/** Decides about a file that is entirely ours. Never overwrites or deletes one that someone else wrote or edited. */
function decideOwn(now: RepositoryFile, wanted: OwnFile | undefined, old: StagedFile | undefined): FileDecision {
  const hash = now.bytes === undefined ? undefined : sha256(now.bytes);
  const mark = wanted?.mark;
  const marked = old === undefined && mark !== undefined && now.bytes?.includes(mark) === true;
  const ours = hash === undefined || hash === old?.after || marked;
  if (wanted !== undefined) return decideWanted({ now, hash, ours }, wanted, marked ? "marked" : old);
  if (hash === undefined) return { does: "nothing" };
  return ours ? { does: "delete" } : { does: "keep", because: "it was edited since it was staged" };
}

interface OwnState {
  readonly now: RepositoryFile;
  readonly hash: string | undefined;
  readonly ours: boolean;
}

function decideWanted(
  { now, hash, ours }: OwnState,
  wanted: OwnFile,
  old: StagedFile | "marked" | undefined,
): FileDecision {
  const bytes = Buffer.from(wanted.content);
  const record = { path: now.path, before: null, after: sha256(bytes), additions: null };
  const same = hash === record.after;
  if (same && (!wanted.executable || (now.mode & 0o100) !== 0))
    return { does: "nothing", record: old === undefined ? undefined : record };
  if (ours || (same && old !== undefined)) return { does: "write", bytes, executable: wanted.executable, record };
  if (old === undefined || old === "marked") return { does: "keep", because: "it already exists and is not ours" };
  return {
    does: "keep",
    because: "it was edited since it was staged; delete it and stage again",
    record: old,
  };
}

/** Decides about a file that we add to. */
function decideAdditions(now: RepositoryFile, wanted: readonly Addition[], old: StagedFile | undefined): FileDecision {
  const text = now.bytes === undefined ? undefined : decode(now.bytes);
  const recorded = old?.additions ?? [];
  const same = recorded.length === wanted.length && wanted.every((addition) => isRecorded(recorded, addition));
  if (old !== undefined && same && text !== undefined && wanted.every((addition) => isThere(text, addition)))
    return { does: "nothing", record: old };
  const cleaned = text === undefined ? { text: undefined, left: false } : takeOut(text, old);
  if (wanted.length === 0) return withoutOurs(text, cleaned);
  if (cleaned.left) return { does: "keep", because: "our part of it was edited", record: old };
  return withOurs({ now, text, base: cleaned.text }, wanted);
}

interface CleanedText {
  /** Undefined if nothing remains besides our part. */
  readonly text: string | undefined;
  /** Part of ours was edited and stays. */
  readonly left: boolean;
}

function withoutOurs(text: string | undefined, cleaned: CleanedText): FileDecision {
  if (cleaned.left) return { does: "keep", because: "our part of it was edited; remove it by hand" };
  if (cleaned.text === text) return { does: "nothing" };
  return cleaned.text === undefined ? { does: "delete" } : { does: "write", bytes: Buffer.from(cleaned.text) };
}

interface Base {
  readonly now: RepositoryFile;
  readonly text: string | undefined;
  /** The content without our part. */
  readonly base: string | undefined;
}

function withOurs({ now, text, base }: Base, wanted: readonly Addition[]): FileDecision {
  const additions: RecordedAddition[] = [];
  let result = base ?? (wanted.some(({ kind }) => kind === "entry") ? "{}\n" : "");
  for (const addition of wanted) {
    const inserted = insert(result, addition);
    const record = inserted?.record ?? adopt(addition);
    if (record !== undefined) additions.push(record);
    result = inserted?.text ?? result;
  }
  const bytes = Buffer.from(result);
  const adopted = additions.every(({ pieces }) => pieces.length === 0);
  const before = base === undefined || adopted ? null : sha256(base);
  const record = additions.length === 0 ? undefined : { path: now.path, before, after: sha256(bytes), additions };
  return result === text ? { does: "nothing", record } : { does: "write", bytes, record };
}

function decode(bytes: Uint8Array): string {
  try {
    // Keep the byte order mark; it belongs to the user.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Unfit("it is not UTF-8");
  }
}
