import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { printable } from "../../lib/printable.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { applyPatch } from "../workspace/apply-patch.ts";
import type { ProtectedChange } from "../workspace/protected-changes.ts";
import { keptStage } from "./run-log.ts";
import type { KnownRun } from "./run-log.ts";

/**
 * Brings the result of a staged run back into its workspace, once. Whether it was accepted is the caller's to ask.
 * Changes that the floors object to are refused, or returned when `allowProtected` lets them through.
 */
export async function applyRun(
  run: KnownRun,
  { allowProtected }: { readonly allowProtected: boolean },
): Promise<readonly ProtectedChange[]> {
  const { folder, header, closed } = run;
  const refuse = (what: string, fix: string) =>
    new UserError(what, { where: header.run_id, fix, exitCode: EXIT.refused });
  if (closed === undefined) throw refuse("this run has not ended", "wait for it");
  if (header.mode !== "staged") throw refuse("this run worked in place", "there is nothing to bring back");
  if (closed.applied_at !== null)
    throw refuse(`this run was applied at ${closed.applied_at}`, "there is nothing more to do");
  const base = keptStage(folder);
  const patchFile = join(folder, "changes.patch");
  if (base === undefined || !existsSync(patchFile)) throw refuse("this run left no result", "run it again");
  if (statSync(patchFile).size === 0) throw refuse("this run changed nothing", "there is nothing to bring back");
  let brought: readonly ProtectedChange[] = [];
  const confirm = (changes: readonly ProtectedChange[]) => {
    brought = changes;
    if (changes.length === 0 || allowProtected) return;
    throw refuse(
      `blocked: this result changes protected files:\n${describeChanges(changes)}`,
      `read the patch, ${patchFile}, then: signalbox apply ${header.run_id} --allow-protected`,
    );
  };
  const passing = mkdtempSync(join(folder, "apply-"));
  try {
    await applyPatch({ root: header.root, base, baseFolder: join(folder, "base/0.git"), patchFile, confirm }, passing);
  } finally {
    rmSync(passing, { recursive: true, force: true });
  }
  atomicWrite(join(folder, "closed.json"), `${JSON.stringify({ ...closed, applied_at: new Date().toISOString() })}\n`);
  return brought;
}

const MAX_NAMED = 50;

/** One line for each change. */
export function describeChanges(changes: readonly ProtectedChange[]): string {
  const lines = changes.slice(0, MAX_NAMED).map(({ path, because }) => `  ${printable(path)}: ${printable(because)}`);
  return [...lines, ...(changes.length > MAX_NAMED ? [`  and ${changes.length - MAX_NAMED} more`] : [])].join("\n");
}
