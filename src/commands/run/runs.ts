import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { Receipt } from "../../contract/receipt.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import type { SealPredicate } from "../../contract/seal.ts";
import type { FleetReceipt } from "../../fleet/documents.ts";
import { pulledReceipts } from "../../fleet/results.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { isInside } from "../../lib/path/inside.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { isInsideSession, outerRuns } from "../../lib/process/inside-session.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { sessionsPlace } from "../../native/log/log-folder.ts";
import { summarise } from "../../native/log/list-sessions.ts";
import { type KnownRun, readRuns, runLife, whyUnknown, withRunLock } from "../../receipts/run/known-runs.ts";
import { recoverRuns } from "../../receipts/run/recover-runs.ts";
import type { RunSetting } from "../../receipts/run/run-setup.ts";
import { listRecipeRuns, type RecipeRun } from "../../recipes/run/run-folder.ts";
import { latestReceipts, listReceipts, workOfSession } from "../../receipts/seal/find-receipt.ts";
import { readReceiptBytes } from "../../receipts/seal/store-receipt.ts";
import { endLeftCommands } from "../../sandbox/run/left-commands.ts";
import { type RestoreOptions, type RestoreReport, restoreSnapshot } from "../../snapshots/restore.ts";
import {
  findSnapshot,
  listSnapshots,
  newerSnapshots,
  recordRestore,
  type SavedSession,
  savedSnapshot,
  sessionLife,
  undoSnapshot,
} from "../../snapshots/saved-session.ts";
import type { CommandInput, CommandModule, SubVerbHelp } from "../command-module.ts";
import { collect, isConfirmed, printJson, textsFlag } from "../flags.ts";
import { subVerb } from "../sub-verbs.ts";
import { runSetting } from "./setting.ts";

const MAX_SHOWN = 20;

const LIST_HELP: SubVerbHelp = {
  usage: "[--all] [--json]",
  summary: "list runs, recipes and sessions with their outcome",
  flags: ["--all", "--json"],
  examples: ["signalbox runs list --all"],
};

const unclearLine = (run: KnownRun) =>
  `cannot tell from here whether run ${run.header.run_id} is still active: ${whyUnknown(run)}; check there, or if it has ended: signalbox cancel ${run.header.run_id} --gone`;

/** In a session the list is only read. */
const NONE_ENDED: Recovery = { ended: new Set(), failure: undefined };

const ACTIONS = { list, restore };

const HELP = `
A run whose signalbox was killed is closed here, with a receipt of what was
recorded. More about restore: signalbox runs restore --help

Examples:
  signalbox runs --all
  signalbox runs restore last --dry-run
  signalbox runs restore 3f2a --path src --path notes.md`;

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

export const command: CommandModule = {
  subVerbs: { list: LIST_HELP, restore: RESTORE_HELP },
  firstWords: () => Object.keys(ACTIONS),

  configure(command: Command) {
    command
      .usage("[list] [flags] | restore RUN [flags]")
      .argument("[what]", "list: the same as without a word; restore: bring back files as they were before")
      .argument("[run]", "restore: an id, the beginning of one, or last")
      .option("--json", "print JSON; a list is one line per run")
      .option("--all", "all runs, not only the latest")
      .option("--dry-run", "restore: only show what would be restored")
      .option("--path <path>", "restore: only this file or folder; may be repeated", collect)
      .option("--force", "restore: also files that were changed after the session")
      .option("--remove-new", "restore: also remove files that were not there before")
      .option("--undo", "restore: take the last restore back")
      .option("--yes", "restore: do not ask")
      .addHelpText("after", HELP);
  },

  async run(input) {
    const [what = "list"] = input.words;
    return await subVerb("runs", what, ACTIONS, input.verbs)(input);
  },
};

async function list({ flags }: CommandInput): Promise<number> {
  const setting = runSetting(process.env);
  const { ended: recovered, failure } = isInsideSession(process.env) ? NONE_ENDED : await endLost(setting);
  const { runs, unread } = readRuns(setting.home);
  const unclear = new Set<KnownRun>(runs.filter((run) => run.end === undefined && runLife(run) === "unknown"));
  const saved = listSnapshots(setting.home);
  const restorable = new Set(saved.map(({ manifest }) => manifest.id));
  const recipes = listRecipeRuns(setting.home);
  const listed = new Set([...runs.map(({ header }) => header.run_id), ...recipes.map(({ runId }) => runId)]);
  const isAll = flags["all"] === true;
  const sealed = isAll ? listReceipts(setting.home) : latestReceipts(setting.home, MAX_SHOWN);
  const seals = new Map(sealed.map(({ statement: { predicate } }) => [predicate.run_id, predicate]));
  const shownWork = new Set(saved.map(({ manifest }) => workOfSession(manifest.id.replace(RESUMED, ""))));
  const isShown = ({ run_id: id, work_order_id: work }: SealPredicate) =>
    listed.has(id) || restorable.has(id) || shownWork.has(work.replaceAll("-", ""));
  const rows: readonly { readonly started: string; readonly row: () => Row }[] = [
    ...runs.map((run) => ({
      started: run.header.started_at,
      row: () => runRow(run, unclear.has(run) ? "unknown" : stateOf(run, recovered), restorable),
    })),
    ...recipes.map((run) => ({
      started: run.header.started_at,
      row: () => recipeRow(run, restorable.has(run.runId)),
    })),
    ...saved
      .filter(({ manifest }) => !listed.has(manifest.id))
      .map((session) => {
        const { id, started_at: started } = session.manifest;
        const resumed = recipes.find(({ runId }) => id.startsWith(`${runId}-`));
        return {
          started,
          row: () =>
            resumed === undefined
              ? sessionRow(session, setting.home, seals.get(id))
              : recipeRow({ ...resumed, runId: id, header: { ...resumed.header, started_at: started } }, true),
        };
      }),
    ...[...seals.values()]
      .filter((seal) => seal.agent.name !== "recipe" && !isShown(seal))
      .map((seal) => ({ started: seal.started_at, row: () => sealRow(seal, setting.home) })),
    ...pulledReceipts(setting.home).map((receipt) => ({ started: receipt.at, row: () => fleetRow(receipt) })),
  ];
  const sorted = rows.toSorted((one, other) => (one.started < other.started ? -1 : 1));
  for (const { row } of isAll ? sorted : sorted.slice(-MAX_SHOWN)) {
    const { json, text } = row();
    if (flags["json"] === true) printJson(json);
    else process.stdout.write(`${text}\n`);
  }
  for (const run of unclear) say(unclearLine(run));
  for (const { id, because } of unread) say(`run ${id} is not shown: ${because}`);
  for (const { id, because } of newerSnapshots(setting.home)) say(`the snapshot ${id} is not shown: ${because}`);
  if (failure !== undefined) throw failure;
  return EXIT.ok;
}

interface Row {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function runRow({ header, end }: KnownRun, state: string, restorable: ReadonlySet<string>): Row {
  const { run_id: id, started_at: started, agent, task } = header;
  const restore = restorable.has(id);
  const json = { ...header, state, closed: end ?? null, restore };
  return { json, text: rowText({ id, started, agent, state, restore }, task) };
}

/** A run on another machine, or by another worker, whose result was fetched. */
function fleetRow({ order: id, at: started, worker, attempt, outcome, exit_code: code, because }: FleetReceipt): Row {
  const state = code === null ? outcome : `${outcome} (${code})`;
  const json = { run_id: id, started_at: started, agent: "fleet", worker, attempt, state, because, restore: false };
  const fields = { id, started, agent: "fleet", state, restore: false };
  return { json, text: rowText(fields, `on ${worker}, attempt ${attempt}: ${because}`) };
}

function recipeRow({ runId: id, header, success, life }: RecipeRun, restore: boolean): Row {
  const { started_at: started, recipe, working_dir: root } = header;
  const ended = success === true ? "succeeded" : success === false ? "failed" : "interrupted";
  const state = life === "dead" ? ended : life === "alive" ? "running" : "unknown";
  const json = { run_id: id, started_at: started, agent: "recipe", recipe, root, state, restore };
  return { json, text: rowText({ id, started, agent: "recipe", state, restore }, recipe) };
}

/** A launch or conversation that left a snapshot but no work order. Only a conversation of ours has a title. */
function sessionRow(session: SavedSession, home: string, seal: SealPredicate | undefined): Row {
  const { id, started_at: started, agent, workspace, ended_at: ended } = session.manifest;
  // A conversation that is continued gets another snapshot: `ID-2`.
  const talk = agent === "native" ? summarise(sessionsPlace(home), id.replace(RESUMED, "")) : undefined;
  const over =
    seal === undefined
      ? (talk?.state.replace("rested: answered", "done").replace("rested: ", "") ?? "ended")
      : sealState(seal);
  const state = { alive: "running", dead: ended === null ? "interrupted" : over, unknown: "unknown" };
  const fields = { id, started, agent, state: state[sessionLife(session)], restore: true };
  const json = { run_id: id, started_at: started, agent, root: workspace, state: fields.state, restore: true };
  return {
    json: talk === undefined ? json : { ...json, task: talk.title },
    text: rowText(fields, talk?.title || `session in ${workspace}`),
  };
}

/** What is added to a conversation's id when it is resumed. */
const RESUMED = /(?<=-\w{8})-\d+$/;

/** A session without a snapshot, of which only the receipt is there. */
function sealRow(seal: SealPredicate, home: string): Row {
  const { run_id: id, started_at: started, agent } = seal;
  const fields = { id, started, agent: agent.name, state: sealState(seal), restore: false };
  const json = { run_id: id, started_at: started, agent: agent.name, state: fields.state, restore: false };
  return { json, text: rowText(fields, taskOf(home, id)) };
}

function taskOf(home: string, id: string): string {
  const receipt = Receipt.safeParse(parseJson(readReceiptBytes(home, id)?.toString("utf8") ?? "null"));
  const [first] = receipt.data?.trace ?? [];
  return first?.type === "run_started" ? first.message.replace(/^[\w-]+: /, "") : "";
}

function sealState({ verified, stopped }: SealPredicate): string {
  if (verified !== "not_checked") return STATES[verified];
  return stopped === "answered" ? "ended" : stopped;
}

const STATES = {
  accepted: "verified",
  refused: "check failed",
  changed_check: "check changed",
  stale: "changed after the check",
};

interface RowFields {
  readonly id: string;
  readonly started: string;
  readonly agent: string;
  readonly state: string;
  readonly restore: boolean;
}

function rowText({ id, started, agent, state, restore }: RowFields, about: string): string {
  const shown = printable(about).replaceAll("\n", " ").slice(0, 80);
  return `${id}  ${started}  ${agent}  ${restore ? "restorable  " : ""}${printable(state)}  ${shown}`;
}

interface Recovery {
  readonly ended: ReadonlySet<string>;
  /** Why a run could not be ended, such as a broken store. Printed after the list, which does not need the store. */
  readonly failure: UserError | undefined;
}

async function endLost(setting: RunSetting): Promise<Recovery> {
  await endLeftCommands(setting.home, say);
  try {
    return { ended: new Set((await recoverRuns(setting)).map(({ header }) => header.run_id)), failure: undefined };
  } catch (error) {
    if (isUserError(error)) return { ended: new Set(), failure: error };
    throw error;
  }
}

function stateOf({ header, end }: KnownRun, recovered: ReadonlySet<string>): string {
  if (end === undefined) return "running";
  if (recovered.has(header.run_id) || end.exit_code === RUN_EXIT.interrupted) return "interrupted";
  return end.applied_at === null ? `${end.outcome} (${end.exit_code})` : "applied";
}

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
