import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { type Life, OWNER_FILES, ownerLife, ownerOf, ownFolder } from "../../lib/process/folder-owner.ts";
import { withLock } from "../../lib/files/lock.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { printable } from "../../lib/text/printable.ts";
import { lastChanged, pruneFolder, type PruneOrder, type PruneReport } from "../../lib/files/prune.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { RECIPE_EXIT } from "../recipe/recipe.ts";
import { readJournalEnd, type RecordedEnd } from "./journal.ts";

const runsFolder = (home: string) => join(home, "recipe-runs");

/** The folder of a run, claimed by this process until it is disposed. */
export interface RecipeRunFolder extends Disposable {
  readonly runId: string;
  readonly path: string;
}

export function createRunFolder(home: string, runId: string): RecipeRunFolder {
  const path = join(runsFolder(home), runId);
  makeFolder(runsFolder(home));
  mkdirSync(path, { mode: 0o700 });
  const owned = ownFolder(path);
  return { runId, path, [Symbol.dispose]: () => owned[Symbol.dispose]() };
}

/** Claims the folder of a run to continue it. `name` is its id or the first characters of it. */
export function claimRunFolder(home: string, name: string): RecipeRunFolder {
  const runId = findRunId(home, name);
  const path = join(runsFolder(home), runId);
  // Two that resume at once must not both take the owner for dead.
  const owned = withLock(join(path, "claim.lock"), () => {
    refuseActive(path, runId);
    // What a killed owner left.
    for (const file of OWNER_FILES) rmSync(join(path, file), { force: true });
    return ownFolder(path);
  });
  return { runId, path, [Symbol.dispose]: () => owned[Symbol.dispose]() };
}

/** Without an owner the run has ended. One that cannot be seen from here may still be running a step. */
function refuseActive(path: string, runId: string): void {
  const owner = ownerOf(path);
  const life = ownerLife(path);
  if (owner === undefined || life === "dead") return;
  if (life === "alive")
    throw new UserError("this run is still active", {
      where: runId,
      fix: "wait for it, or end it with Ctrl-C where it runs",
      exitCode: EXIT.failed,
    });
  throw new UserError(
    `cannot tell whether this run is still active: it was started on another machine or in another container (${printable(owner.hostname)})`,
    {
      where: runId,
      fix: `check there; if it has ended: rm ${shQuote(join(path, OWNER_FILES[0]))}`,
      exitCode: EXIT.failed,
    },
  );
}

/** A recipe run of this home, for lists. */
export interface RecipeRun extends RecordedEnd {
  readonly runId: string;
  readonly life: Life;
}

export function listRecipeRuns(home: string): readonly RecipeRun[] {
  return idsIn(runsFolder(home)).flatMap((runId) => {
    const path = join(runsFolder(home), runId);
    const end = readJournalEnd(path);
    // The owner's mark goes with a clean end.
    return end === undefined ? [] : [{ ...end, runId, life: ownerOf(path) === undefined ? "dead" : ownerLife(path) }];
  });
}

/** Removes the folders of old runs, which can then no longer be resumed. Their receipts stay. */
export const pruneRecipeRuns = (order: PruneOrder): PruneReport =>
  pruneFolder(runsFolder(order.home), order, (name, path) => ({
    what: `recipe run ${name}`,
    used: lastChanged(join(path, "journal.jsonl")),
    paths: [path],
    mayGo: () => (ownerLife(path) === "alive" ? "it is still running" : undefined),
  }));

function findRunId(home: string, name: string): string {
  const ids = idsIn(runsFolder(home));
  const found = /^[0-9a-f-]{4,36}$/.test(name) ? ids.filter((id) => id.startsWith(name)) : [];
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new UserError(only === undefined ? "there is no such recipe run" : `${found.length} recipe runs match`, {
    where: name,
    fix: "pass the id that 'signalbox recipe run' printed",
    exitCode: RECIPE_EXIT.notFound,
  });
}

const idsIn = (folder: string): readonly string[] => namesIn(folder).filter((id) => /^[0-9a-f-]{36}$/.test(id));
