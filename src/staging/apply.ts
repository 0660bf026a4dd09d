import { realpathSync } from "node:fs";
import type { AgentName } from "../contract/agent.ts";
import { UserError } from "../lib/text/user-error.ts";
import { type Change, MANIFEST_PATH, type Purpose } from "./sources/change.ts";
import { type FileDecision, planSteps, type StagingStep } from "./plan-steps.ts";
import { Unfit } from "./json-edit.ts";
import { lockRepository } from "./lock.ts";
import { ABOUT, isOurFolder, type Manifest, parseManifest, type StagedFile, writeManifest } from "./manifest.ts";
import { deleteFile, lookAt, removeFolders, replaceFile, writeProblem } from "./repository-file.ts";

/** What a repository should contain from us. */
export interface Wanted {
  readonly agents: readonly AgentName[];
  readonly required: boolean;
  readonly xpia: boolean;
  readonly changes: readonly Change[];
}

interface SkippedFile {
  readonly path: string;
  readonly because: string;
  readonly purposes: readonly Purpose[];
}

/** What was done, or what would be done. Paths are relative to the repository. */
export interface Applied {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** What could not be done, and why. */
  readonly kept: readonly SkippedFile[];
  /** What was missing or stale. */
  readonly touched: readonly (Purpose & { readonly path: string })[];
}

/** A repository's manifest; undefined if nothing is staged. */
export function readManifest(root: string): Manifest | undefined {
  try {
    const { bytes } = lookAt(realpathSync(root), MANIFEST_PATH);
    return bytes === undefined ? undefined : parseManifest(bytes);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw new UserError(`cannot use the list of staged files: ${error.message}`, {
      where: MANIFEST_PATH,
      fix: "make it a file inside the repository",
      cause: error,
    });
  }
}

/**
 * Brings a repository to the wanted state: writes only what is needed, and reverts what is no longer wanted. Calls
 * `plan` under the lock, so that two concurrent runs don't undo each other.
 */
export async function applyWanted<Plan extends Wanted>(
  place: { readonly root: string; readonly home: string },
  plan: (manifest: Manifest | undefined) => Plan,
): Promise<Applied & { readonly plan: Plan }> {
  const root = realpathSync(place.root);
  using _lock = await lockRepository(place.home, root);
  const manifest = readManifest(root);
  const wanted = plan(manifest);
  return { ...apply(root, wanted, manifest), plan: wanted };
}

function apply(root: string, wanted: Wanted, manifest: Manifest | undefined): Applied {
  const steps = planSteps(root, wanted.changes, manifest);
  const active = steps.filter(({ decision }) => decision.does === "write" || decision.does === "delete");
  const folders: string[] = [...(manifest?.folders ?? [])];
  // Written before the files, so that a process killed halfway leaves nothing that cannot be reverted.
  const ahead = steps.flatMap(({ decision, old }) => decision.record ?? old ?? []);
  try {
    if (active.length > 0) saveManifest(root, folders, wanted, ahead);
  } catch (error) {
    const because = writeProblem(error);
    return summary(
      steps,
      active.map(({ now, purposes }) => ({ path: now.path, because, purposes })),
    );
  }
  const failed = active.flatMap((step) => perform(root, step, folders));
  const broken = new Set(failed.map(({ path }) => path));
  const files = steps.flatMap((step) => (broken.has(step.now.path) ? (step.old ?? []) : (step.decision.record ?? [])));
  const left = removeFolders(root, folders);
  saveManifest(root, [...left], wanted, files);
  return summary(steps, failed);
}

/** What `applyWanted` would do. Writes nothing. */
export function inspectWanted(place: { readonly root: string }, wanted: Wanted): Applied {
  const root = realpathSync(place.root);
  return summary(planSteps(root, wanted.changes, readManifest(root)), []);
}

function perform(root: string, { now, decision, purposes }: StagingStep, folders: string[]): readonly SkippedFile[] {
  try {
    if (decision.does === "delete") deleteFile(root, now);
    if (decision.does === "write") {
      const mode = decision.executable === true ? 0o755 : now.mode;
      folders.push(...replaceFile(root, { ...now, mode }, decision.bytes).filter(isOurFolder));
    }
    return [];
  } catch (error) {
    return [{ path: now.path, because: writeProblem(error), purposes }];
  }
}

/** Writes the manifest, or removes it along with the last file. */
function saveManifest(root: string, folders: string[], { agents, required, xpia }: Wanted, files: StagedFile[]): void {
  const now = lookAt(root, MANIFEST_PATH);
  if (files.length === 0) {
    if (now.bytes !== undefined) deleteFile(root, now);
    removeFolders(root, folders);
    return;
  }
  const list = {
    version: 1 as const,
    about: ABOUT,
    agents: [...agents],
    required,
    ...(xpia ? { xpia } : {}),
    folders: [...new Set(folders)],
    files,
  };
  const bytes = writeManifest(list);
  if (now.bytes?.equals(bytes) === true) return;
  const made = replaceFile(root, now, bytes);
  if (made.length === 0) return;
  // The manifest lists its own folder too.
  folders.push(...made);
  replaceFile(root, lookAt(root, MANIFEST_PATH), writeManifest({ ...list, folders: [...new Set(folders)] }));
}

function summary(steps: readonly StagingStep[], failed: readonly SkippedFile[]): Applied {
  const broken = new Set(failed.map(({ path }) => path));
  const done = (does: FileDecision["does"]) =>
    steps.filter(({ decision, now }) => decision.does === does && !broken.has(now.path));
  const touched = [...done("write"), ...done("delete")];
  return {
    written: done("write").map(({ now }) => now.path),
    deleted: done("delete").map(({ now }) => now.path),
    kept: [
      ...steps.flatMap(({ now, decision, purposes }) =>
        decision.does === "keep" ? [{ path: now.path, because: decision.because, purposes }] : [],
      ),
      ...failed,
    ],
    touched: touched.flatMap(({ now, lacking }) => lacking.map((purpose) => ({ ...purpose, path: now.path }))),
  };
}
