import { gitTop } from "../../lib/git-top.ts";
import type { Context } from "../recipe/recipe.ts";
import type { RecipeParts } from "./run-parts.ts";

/** Writes all files that git does not ignore as a tree object, without touching the index. */
const TREE = `place=$(mktemp -d) || exit 1
cp "$(git rev-parse --git-path index)" "$place/index" 2>/dev/null
export GIT_INDEX_FILE="$place/index"
git add -A && git write-tree
status=$?
rm -rf "$place"
exit $status`;

/**
 * Adds what differs from the tree before, or from the last one, of which a step may have taken something back. Nothing
 * else is added. A path may be gone, or have been untracked.
 */
const STAGE = `now=$(${TREE}) || exit 1
for tree in {{before}} {{last}}; do
  git diff --no-ext-diff --no-renames --name-only -z "$tree" "$now"
done | git update-index --add --remove --replace -z --stdin && echo "$now"`;

const TREE_ID = /^[0-9a-f]{40,64}$/;
const STAGE_SECONDS = 60;

type Place = Pick<RecipeParts, "journal" | "options" | "report" | "runShell" | "signal">;

/**
 * Records what the repository of a folder has now, unless this run has done so before. Only what changes afterwards is
 * staged.
 */
export async function recordBefore(folder: string, parts: Place): Promise<void> {
  const top = gitTop(folder)?.folder;
  if (!parts.options.autoStage || top === undefined || parts.journal.treesOf(top) !== undefined) return;
  const tree = await output(TREE, { top, context: {}, step: "auto_stage" }, parts);
  if (tree !== undefined && TREE_ID.test(tree)) parts.journal.tree(top, tree);
}

/** Stages what this run has changed in the repository of a folder. */
export async function stageChanges(step: string, folder: string, parts: Place): Promise<void> {
  const top = gitTop(folder)?.folder;
  if (top === undefined) return;
  const trees = parts.journal.treesOf(top);
  const now = trees && (await output(STAGE, { top, context: { ...trees }, step }, parts));
  if (now !== undefined && TREE_ID.test(now)) return parts.journal.tree(top, now);
  parts.report({ type: "warning", message: `the changes of ${step} were not staged` });
}

interface Staging {
  readonly top: string;
  readonly context: Context;
  readonly step: string;
}

/** What the command printed, or undefined if it failed. */
async function output(command: string, { top, context, step }: Staging, parts: Place): Promise<string | undefined> {
  const request = { command, context, env: {}, folder: top, timeoutSeconds: STAGE_SECONDS, step } as const;
  const ended = await parts.runShell({ ...request, place: "inside", isOurs: true }, parts.signal);
  return ended.type === "ended" && ended.code === 0 ? ended.stdout.trim() : undefined;
}
