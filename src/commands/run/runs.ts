import type { Command } from "commander";
import { recoverRuns } from "../../backplane/run/recover-runs.ts";
import { type KnownRun, readRuns, runLife, whyUnknown } from "../../backplane/run/known-runs.ts";
import type { RunSetting } from "../../backplane/run/run-parts.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import { isInsideSession } from "../../lib/inside-session.ts";
import { printable } from "../../lib/printable.ts";
import { say } from "../../lib/say.ts";
import { EXIT, isUserError, type UserError } from "../../lib/user-error.ts";
import { listSnapshots, newerSnapshots, type SavedSession, sessionLife } from "../../snapshots/saved-session.ts";
import { endLeftCommands } from "../../tools/command/left-commands.ts";
import { printJson } from "../flags.ts";
import { subVerb } from "../sub-verbs.ts";
import { restore, RESTORE_HELP } from "./restore.ts";
import { runSetting } from "./setting.ts";
import type { CommandInput, CommandModule } from "../command-module.ts";

const MAX_SHOWN = 20;

export const command: CommandModule = {
  subVerbs: { restore: RESTORE_HELP },
  firstWords: () => Object.keys(ACTIONS),

  configure(command: Command) {
    command
      .usage("[flags] | restore RUN [flags]")
      .argument("[what]", "restore: bring back files as they were before a run or session")
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
    const [what] = input.words;
    return what === undefined ? await list(input) : await subVerb("runs", what, ACTIONS)(input);
  },
};

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

const ACTIONS = { restore };

async function list({ flags }: CommandInput): Promise<number> {
  const setting = runSetting(process.env);
  const { ended: recovered, failure } = isInsideSession(process.env) ? NONE_ENDED : await endLost(setting);
  const { runs, unread } = readRuns(setting.home);
  const unclear = new Set<KnownRun>(runs.filter((run) => run.end === undefined && runLife(run) === "unknown"));
  const saved = listSnapshots(setting.home);
  const restorable = new Set(saved.map(({ manifest }) => manifest.id));
  const rows = [
    ...runs.map((run) => runRow(run, unclear.has(run) ? "unknown" : stateOf(run, recovered), restorable)),
    ...saved.filter(({ manifest }) => !runs.some(({ header }) => header.run_id === manifest.id)).map(sessionRow),
  ].toSorted((one, other) => (one.started < other.started ? -1 : 1));
  for (const { json, text } of flags["all"] === true ? rows : rows.slice(-MAX_SHOWN)) {
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
  readonly started: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function runRow({ header, end }: KnownRun, state: string, restorable: ReadonlySet<string>): Row {
  const { run_id: id, started_at: started, agent, task } = header;
  const restore = restorable.has(id);
  const shown = printable(task).replaceAll("\n", " ").slice(0, 60);
  return {
    started,
    json: { ...header, state, closed: end ?? null, restore },
    text: `${id}  ${started}  ${agent}  ${restore ? "restorable  " : ""}${state}  ${shown}`,
  };
}

/** A launch or conversation that left a snapshot but no work order. */
function sessionRow(session: SavedSession): Row {
  const { id, started_at: started, agent, workspace } = session.manifest;
  const state = { alive: "running", dead: "session", unknown: "unknown" }[sessionLife(session)];
  return {
    started,
    json: { run_id: id, started_at: started, agent, root: workspace, state, restore: true },
    text: `${id}  ${started}  ${agent}  restorable  ${state}  ${printable(workspace).replaceAll("\n", " ")}`,
  };
}

const unclearLine = (run: KnownRun) =>
  `cannot tell from here whether run ${run.header.run_id} is still active: ${whyUnknown(run)}; check there, or if it has ended: signalbox cancel ${run.header.run_id} --gone`;

interface Recovery {
  readonly ended: ReadonlySet<string>;
  /** Why a run could not be ended, such as a broken store. Printed after the list, which does not need the store. */
  readonly failure: UserError | undefined;
}

/** In a session the list is only read. */
const NONE_ENDED: Recovery = { ended: new Set(), failure: undefined };

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

const HELP = `
A run whose signalbox was killed is closed here, with a receipt of what was
recorded. More about restore: signalbox runs restore --help

Examples:
  signalbox runs --all
  signalbox runs restore last --dry-run
  signalbox runs restore 3f2a --path src --path notes.md`;
