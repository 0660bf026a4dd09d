import { join } from "node:path";
import { namedFew } from "../lib/text/printable.ts";
import type { ToolOutput } from "../contract/tool.ts";
import { isInside } from "../lib/path/inside.ts";
import type { MergeReport } from "../snapshots/merge-changes.ts";
import { nativeContext } from "./knowledge/context.ts";
import { openNativeTools } from "./session/session-tools.ts";
import type { AgentOrder } from "./agents/background-agents.ts";
import type { AgentPlace } from "./sub-agent-engine.ts";
import { openCopy, type WorkspaceCopy } from "../receipts/workspace/workspace-copy.ts";
import { showConflicts, type Worktrees } from "./agents/worktrees.ts";

interface CopyRun {
  readonly order: AgentOrder;
  readonly place: AgentPlace;
  readonly worktrees: Worktrees;
  readonly signal: AbortSignal;
  /** Runs the sub-agent in another place than the session's. */
  readonly run: (order: AgentOrder, place: AgentPlace) => Promise<ToolOutput>;
}

const COPY_WORDS =
  "You work in a copy of the workspace while others work in theirs. Ignored files, such as installed packages, are not in it. When you are done, the files that you changed are merged into the workspace; do not commit.";

/**
 * Runs a sub-agent in a copy of the workspace, behind the same guard and in a sandbox of its own, and merges what it
 * changed. What it changed before it failed is not merged, but kept as a patch.
 */
export async function runInCopy({ order, place, worktrees, signal, run }: CopyRun): Promise<ToolOutput> {
  const { common, sessionId, policy } = place;
  const workspace = policy.workspaceRoot;
  using _entered = await worktrees.enter(signal);
  const name = `${sessionId}-${order.id}`;
  const keptFolder = join(place.tools.privateFolder, "worktrees", order.id);
  using copy = await worktrees.inTurn(() => openCopy({ workspace, home: common.home, name, keptFolder }));
  const { definition } = order;
  const output = await inCopy(copy.root, place, (own) =>
    run(
      {
        ...order,
        prompt: order.prompt.replaceAll(workspace, copy.root),
        definition: { ...definition, prompt: `${definition.prompt}\n${COPY_WORDS}` },
      },
      own,
    ),
  );
  const told = asInWorkspace(output, copy.root, workspace);
  return output.failed
    ? await unmerged(told, copy, { order, place })
    : await merged(told, copy, { order, place, worktrees });
}

/** The same place in the copy. Memories of the project would be stored for the copy. */
async function inCopy(
  root: string,
  place: AgentPlace,
  work: (own: AgentPlace) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { common, sessionId, mode, askPerson, askUser, context } = place;
  const policy = { ...place.policy, workspaceRoot: root };
  await using tools = openNativeTools({
    ...common,
    sessionId,
    policy,
    mode,
    askPerson,
    askUser,
    skills: context.skills,
    checkTimeoutMs: common.acceptTimeoutMs,
    filters: [...common.filters, { deny: ["store_memory"] }],
    beforeChange: NOT_UNDONE,
    recovery: { recoverable: (path) => inside(path, root), began: () => {}, ended: () => {} },
  });
  await tools.containment.require();
  const own = nativeContext({ ...common, policy, cwd: root, unattended: askPerson === undefined });
  return await work({
    ...place,
    cwd: root,
    policy,
    tools,
    context: { ...own, skills: context.skills, agents: context.agents },
    worktrees: undefined,
    isCopy: true,
  });
}

/** What happens in a copy is undone with the merge. */
const NOT_UNDONE = { name: "undo" };

/** What is lost in the copy is still in the workspace. About other places nothing is known. */
const inside = (path: string, root: string) => (isInside(path, root) ? true : undefined);

function asInWorkspace({ text, deeds = [], ...rest }: ToolOutput, root: string, workspace: string): ToolOutput {
  const inWorkspace = (path: string) => (isInside(path, root) ? `${workspace}${path.slice(root.length)}` : path);
  return {
    ...rest,
    text: text.replaceAll(root, workspace),
    deeds: deeds.map((deed) => ("path" in deed ? { ...deed, path: inWorkspace(deed.path) } : deed)),
  };
}

async function unmerged(
  output: ToolOutput,
  copy: WorkspaceCopy,
  { order, place }: Pick<CopyRun, "order" | "place">,
): Promise<ToolOutput> {
  const { patchFile, isEmpty } = await copy.savePatch();
  if (!isEmpty)
    place.common.warn(`${order.id}: it did not finish, so nothing was merged; its changes as a patch: ${patchFile}`);
  const what = isEmpty
    ? "It had changed nothing."
    : `What it had changed is not in the workspace. It is in a patch: ${patchFile}`;
  return { ...output, text: `${output.text}\n\n[${what}]`, deeds: [] };
}

async function merged(
  output: ToolOutput,
  copy: WorkspaceCopy,
  { order, place, worktrees }: Pick<CopyRun, "order" | "place" | "worktrees">,
): Promise<ToolOutput> {
  const { patchFile, isEmpty } = await copy.savePatch();
  const gone = showIgnored(await copy.ignored());
  if (isEmpty) return { ...output, text: `${output.text}\n\n[It changed no files.${gone}]`, deeds: [] };
  const report = await worktrees.merge(() => undoable(place, () => copy.merge()));
  place.common.warn(`${order.id}: ${summary(report)}; its changes as a patch: ${patchFile}`);
  if (report.conflicts.length > 0)
    for (const line of showConflicts(report.conflicts).split("\n")) place.common.warn(`${order.id}: ${line.slice(2)}`);
  const workspace = place.policy.workspaceRoot;
  const paths = new Set(report.merged.map((path) => join(workspace, path)));
  const deeds = (output.deeds ?? []).filter((deed) => "path" in deed && paths.has(deed.path));
  return { ...output, text: `${output.text}\n\n[${showReport(report)}${gone}]`, deeds };
}

/** For undo, a merge is a change like any other. */
async function undoable<Result>({ tools, policy }: AgentPlace, merge: () => Promise<Result>): Promise<Result> {
  const { beforeChange } = tools;
  const call = { id: "merge", name: "write", input: { path: join(policy.workspaceRoot, "merged"), content: "" } };
  await beforeChange.preTools?.([call], new AbortController().signal);
  try {
    return await merge();
  } finally {
    await beforeChange.postTool?.(call, { text: "", failed: false });
  }
}

const files = (count: number) => (count === 1 ? "1 file" : `${count} files`);

function summary({ merged: done, conflicts }: MergeReport): string {
  const conflicting = conflicts.length === 0 ? "" : `, ${files(conflicts.length)} not merged`;
  return `${files(done.length)} merged into the workspace${conflicting}`;
}

const MAX_NAMED = 50;

function showIgnored(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  return `\nNot merged, because git ignores them, and gone with the copy: ${namedFew(paths, MAX_NAMED)}`;
}

function showReport({ merged: done, conflicts }: MergeReport): string {
  const list = done.length === 0 ? "" : `: ${namedFew(done, MAX_NAMED)}`;
  const clean = `Merged into the workspace, ${files(done.length)}${list}.`;
  if (conflicts.length === 0) return clean;
  return `${clean}\nNot merged, and left in the workspace as they were:\n${showConflicts(conflicts)}\nRead both versions and put the changes together in the workspace.`;
}
