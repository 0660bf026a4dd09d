import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { withRunLock } from "../../backplane/run/known-runs.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { outerRuns } from "../../lib/inside-session.ts";
import { isInside } from "../../lib/inside.ts";
import { isFolder } from "../../lib/is-program.ts";
import { printable, printableLine } from "../../lib/printable.ts";
import { say } from "../../lib/say.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { type RestoreOptions, type RestoreReport, restoreSnapshot } from "../../snapshots/restore.ts";
import {
  findSnapshot,
  recordRestore,
  type SavedSession,
  savedSnapshot,
  sessionLife,
  undoSnapshot,
} from "../../snapshots/saved-session.ts";
import type { CommandInput, SubVerbHelp } from "../command-module.ts";
import { endLeftCommands } from "../../tools/command/left-commands.ts";
import { printJson, textsFlag } from "../flags.ts";
import { isConfirmed } from "../is-confirmed.ts";

/** `signalbox runs restore RUN`: shows what differs from the start of a run or session, and restores it if wanted. */
export async function restore({ words, flags }: CommandInput): Promise<number> {
  const name = words[1] ?? "";
  if (name === "")
    throw new UserError("which run?", { where: "runs restore", fix: "pass its id, the beginning of it, or last" });
  refuseInside(name);
  await endLeftCommands(signalboxHome(), say);
  const session = findSnapshot(signalboxHome(), name);
  refuseRunning(session, flags["force"] === true);
  const saved = flags["undo"] === true ? undoOf(session) : savedSnapshot(session);
  const options: RestoreOptions = {
    paths: textsFlag(flags, "path").map((path) => insideWorkspace(path, saved.workspace)),
    force: flags["force"] === true,
    removeNew: flags["removeNew"] === true,
  };
  const asJson = flags["json"] === true;
  const plan = await restoreSnapshot(saved, { ...options, dryRun: true });
  if (!asJson) show(plan, session, false);
  const isDry = flags["dryRun"] === true;
  if (isDry || plan.restored.length + plan.removed.length === 0) return finish(plan, session, { asJson, isDry });
  if (flags["yes"] !== true && (asJson || !(await isConfirmed("Restore these files? [y/N] "))))
    throw new UserError("nothing was restored", {
      where: session.manifest.workspace,
      fix: `to restore what is listed, run: signalbox runs restore ${session.manifest.id} --yes`,
      exitCode: EXIT.refused,
    });
  // So that no prune removes the snapshot meanwhile.
  const report = await withRunLock(signalboxHome(), async () => {
    const restored = await restoreSnapshot(saved, options);
    recordRestore(session, restored.undo);
    return restored;
  });
  if (!asJson) show(report, session, true);
  return finish(report, session, { asJson, isDry });
}

function refuseInside(name: string): void {
  if (outerRuns(process.env).length === 0) return;
  throw new UserError("a session cannot restore files", {
    where: "SIGNALBOX_RUN is set",
    fix: `run it in your own terminal: signalbox runs restore ${printable(name)}`,
    exitCode: EXIT.refused,
  });
}

function refuseRunning(session: SavedSession, force: boolean): void {
  const { id, workspace } = session.manifest;
  if (!isFolder(workspace))
    throw new UserError("the workspace is gone", { where: workspace, fix: "create the folder to restore files into" });
  const life = sessionLife(session);
  if (life === "dead" || force) return;
  throw new UserError(life === "alive" ? "this session is still running" : "this session may still be running", {
    where: id,
    fix: "end it first, or use --force",
    exitCode: EXIT.refused,
  });
}

function undoOf(session: SavedSession) {
  const saved = undoSnapshot(session);
  if (saved !== undefined) return saved;
  throw new UserError("there is no restore to undo", {
    where: session.manifest.id,
    fix: `signalbox runs restore ${session.manifest.id} --dry-run shows what could be restored`,
  });
}

/** A relative path is one of the current folder, or of the workspace when that is elsewhere. */
function insideWorkspace(path: string, workspace: string): string {
  const [here, root] = [realpathSync(currentFolder()), realpathSync(workspace)];
  const found = resolve(isInside(here, root) ? here : root, path);
  if (isInside(found, root)) return found;
  throw new UserError("this path is not in the workspace", { where: path, fix: `pass a path in ${root}` });
}

function show(report: RestoreReport, { manifest }: SavedSession, isDone: boolean): void {
  const { restored, removed, added, kept, failed } = report;
  const lines = [
    ...(isDone ? [] : [`${manifest.agent} in ${manifest.workspace}, as it was at ${manifest.started_at}:`]),
    ...restored.map(({ path, change }) => `  ${isDone ? "restored" : change.padEnd(8)}  ${path}`),
    ...removed.map((path) => `  ${isDone ? "removed " : "remove  "}  ${path}`),
    ...kept.map(({ path, because }) => `  kept      ${path}: ${because}`),
    ...failed.map(({ path, because }) => `  failed    ${path}: ${because}`),
    ...(isDone ? [] : added.map((path) => `  new       ${path} (stays unless you pass --remove-new)`)),
  ];
  // A line break in a name must not look like another line.
  process.stdout.write(lines.map((line) => `${printableLine(line)}\n`).join(""));
}

function finish(
  report: RestoreReport,
  { manifest }: SavedSession,
  { asJson, isDry }: { readonly asJson: boolean; readonly isDry: boolean },
): number {
  const { undo: _undo, ...shown } = report;
  const { id, workspace } = manifest;
  if (asJson) printJson({ id, workspace, dry_run: isDry, ...shown });
  else if (report.restored.length + report.removed.length === 0) say("nothing to restore");
  else if (!isDry) say(`to take this back: signalbox runs restore ${id} --undo`);
  if (report.failed.length > 0) return EXIT.failed;
  return report.kept.length > 0 && !isDry ? EXIT.refused : EXIT.ok;
}

export const RESTORE_HELP: SubVerbHelp = {
  usage: "RUN [flags]",
  summary: "bring back files as they were before a run or session",
  flags: ["--dry-run", "--path", "--force", "--remove-new", "--undo", "--yes", "--json"],
  more: `Brings back files that were changed or deleted. Files that git ignores are not
in the snapshot. It asks first, and --undo takes it back.

Exit codes:
  0 restored, or nothing to do   1 some files could not be restored   2 usage
  3 not confirmed, still running, inside a session, or some files were kept`,
  examples: ["signalbox runs restore last --dry-run", "signalbox runs restore 3f2a --path src --path notes.md"],
};
