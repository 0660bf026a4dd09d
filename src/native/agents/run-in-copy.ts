import { join } from "node:path";
import type { ToolOutput } from "../../contract/tool.ts";
import { namedFew } from "../../lib/text/printable.ts";
import { isInside } from "../../lib/path/inside.ts";
import { openCopy, type WorkspaceCopy } from "../../receipts/workspace/workspace-copy.ts";
import type { MergeReport } from "../../snapshots/merge-changes.ts";
import { nativeContext } from "../knowledge/context.ts";
import { openWorkplace, type Workplace } from "../tools/workplace.ts";
import type { AgentGround, AgentOrder } from "./delegation.ts";
import { showConflicts, type Worktrees } from "./worktrees.ts";

const COPY_WORDS =
  "You work in a copy of the workspace while others work in theirs. Ignored files, such as installed packages, are not in it. When you are done, the files that you changed are merged into the workspace; do not commit.";

/**
 * Has a sub-agent run in a copy of the workspace, behind the same guard and in a sandbox of its own, and merges what it
 * changed. What it changed before it failed is not merged, but kept as a patch.
 */
export async function runInCopy(
  order: AgentOrder,
  ground: AgentGround,
  worktrees: Worktrees,
  run: (order: AgentOrder, ground: AgentGround) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { id, definition } = order;
  const { sessionId, home, policy, privateFolder } = ground.workplace;
  const workspace = policy.workspaceRoot;
  const name = `${sessionId}-${id}`;
  const keptFolder = join(privateFolder, "worktrees", id);
  using copy = await worktrees.inTurn(() => openCopy({ workspace, home, name, keptFolder }));
  const output = await inCopy(copy.root, ground, (own) =>
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
  const result = output.failed
    ? await unmerged(told, copy)
    : await merged(told, copy, workspace, (merge) => worktrees.merge(() => undoable(ground.workplace, merge)));
  for (const line of result.lines) ground.workplace.warn(`${id}: ${line}`);
  return result.output;
}

/** The same ground in the copy. Memories of the project would be stored for the copy. */
async function inCopy(
  root: string,
  ground: AgentGround,
  work: (own: AgentGround) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { session, context, workplace: original } = ground;
  const { settings, askPerson } = session;
  const policy = { ...original.policy, workspaceRoot: root };
  await using workplace = openWorkplace(settings, {
    sessionId: original.sessionId,
    policy,
    beforeChange: NOT_UNDONE,
    recovery: { recoverable: (path) => inside(path, root), began: () => {}, ended: () => {} },
    denied: ["store_memory"],
  });
  await workplace.containment.require();
  const { home, environment, version, skillSettings } = settings;
  const unattended = askPerson === undefined;
  const own = nativeContext({ policy, cwd: root, home, environment, version, unattended, skillSettings });
  return await work({
    session,
    workplace,
    cwd: root,
    context: { ...own, skills: context.skills, agents: context.agents },
    servers: undefined,
    isCopy: true,
  });
}

/** What happens in a copy is undone with the merge. */
const NOT_UNDONE = { name: "undo" };

/** What is lost in the copy is still in the workspace. About other places nothing is known. */
const inside = (path: string, root: string) => (isInside(path, root) ? true : undefined);

function asInWorkspace({ text, deeds = [], ...output }: ToolOutput, root: string, workspace: string): ToolOutput {
  const inWorkspace = (path: string) => (isInside(path, root) ? `${workspace}${path.slice(root.length)}` : path);
  return {
    ...output,
    text: text.replaceAll(root, workspace),
    deeds: deeds.map((deed) => ("path" in deed ? { ...deed, path: inWorkspace(deed.path) } : deed)),
  };
}

/** What the agent that started it is told, and lines for the person. */
interface CopyResult {
  readonly output: ToolOutput;
  readonly lines: readonly string[];
}

async function unmerged(output: ToolOutput, copy: WorkspaceCopy): Promise<CopyResult> {
  const { patchFile, isEmpty } = await copy.savePatch();
  const what = isEmpty
    ? "It had changed nothing."
    : `What it had changed is not in the workspace. It is in a patch: ${patchFile}`;
  return {
    output: { ...output, text: `${output.text}\n\n[${what}]`, deeds: [] },
    lines: isEmpty ? [] : [`it did not finish, so nothing was merged; its changes as a patch: ${patchFile}`],
  };
}

async function merged(
  output: ToolOutput,
  copy: WorkspaceCopy,
  workspace: string,
  change: (merge: () => Promise<MergeReport>) => Promise<MergeReport>,
): Promise<CopyResult> {
  const { patchFile, isEmpty } = await copy.savePatch();
  const gone = showIgnored(await copy.ignored());
  if (isEmpty)
    return { output: { ...output, text: `${output.text}\n\n[It changed no files.${gone}]`, deeds: [] }, lines: [] };
  const report = await change(() => copy.merge());
  const conflicts = report.conflicts.length === 0 ? [] : showConflicts(report.conflicts).split("\n");
  const paths = new Set(report.merged.map((path) => join(workspace, path)));
  const deeds = (output.deeds ?? []).filter((deed) => "path" in deed && paths.has(deed.path));
  return {
    output: { ...output, text: `${output.text}\n\n[${showReport(report)}${gone}]`, deeds },
    lines: [`${summary(report)}; its changes as a patch: ${patchFile}`, ...conflicts.map((line) => line.slice(2))],
  };
}

/** For undo, a merge is a change like any other. */
async function undoable<Result>({ beforeChange, policy }: Workplace, merge: () => Promise<Result>): Promise<Result> {
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
