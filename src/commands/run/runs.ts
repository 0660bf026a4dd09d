import type { Command } from "commander";
import { recoverRuns } from "../../backplane/run/recover-runs.ts";
import { type KnownRun, readRuns, runLife, whyUnknown } from "../../backplane/run/known-runs.ts";
import type { RunSetting } from "../../backplane/run/run-parts.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import { isInsideSession } from "../../lib/inside-session.ts";
import { printable } from "../../lib/printable.ts";
import { say } from "../../lib/say.ts";
import { EXIT, isUserError, type UserError } from "../../lib/user-error.ts";
import { listRecipeRuns, type RecipeRun } from "../../recipes/run/run-folder.ts";
import { sessionsPlace } from "../../sessions/folder.ts";
import { summarise } from "../../sessions/summary.ts";
import { listSnapshots, newerSnapshots, type SavedSession, sessionLife } from "../../snapshots/saved-session.ts";
import { endLeftCommands } from "../../tools/command/left-commands.ts";
import { printJson } from "../flags.ts";
import { subVerb } from "../sub-verbs.ts";
import { restore, RESTORE_HELP } from "./restore.ts";
import { runSetting } from "./setting.ts";
import type { CommandInput, CommandModule, SubVerbHelp } from "../command-module.ts";

const MAX_SHOWN = 20;

const LIST_HELP: SubVerbHelp = {
  usage: "[--all] [--json]",
  summary: "list runs, recipes and sessions with their outcome",
  flags: ["--all", "--json"],
  examples: ["signalbox runs list --all"],
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
    return await subVerb("runs", what, ACTIONS)(input);
  },
};

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

const ACTIONS = { list, restore };

async function list({ flags }: CommandInput): Promise<number> {
  const setting = runSetting(process.env);
  const { ended: recovered, failure } = isInsideSession(process.env) ? NONE_ENDED : await endLost(setting);
  const { runs, unread } = readRuns(setting.home);
  const unclear = new Set<KnownRun>(runs.filter((run) => run.end === undefined && runLife(run) === "unknown"));
  const saved = listSnapshots(setting.home);
  const restorable = new Set(saved.map(({ manifest }) => manifest.id));
  const recipes = listRecipeRuns(setting.home);
  const listed = new Set([...runs.map(({ header }) => header.run_id), ...recipes.map(({ runId }) => runId)]);
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
              ? sessionRow(session, setting.home)
              : recipeRow({ ...resumed, runId: id, header: { ...resumed.header, started_at: started } }, true),
        };
      }),
  ];
  const sorted = rows.toSorted((one, other) => (one.started < other.started ? -1 : 1));
  for (const { row } of flags["all"] === true ? sorted : sorted.slice(-MAX_SHOWN)) {
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

function recipeRow({ runId: id, header, success, life }: RecipeRun, restore: boolean): Row {
  const { started_at: started, recipe, working_dir: root } = header;
  const ended = success === true ? "succeeded" : success === false ? "failed" : "interrupted";
  const state = life === "dead" ? ended : life === "alive" ? "running" : "unknown";
  const json = { run_id: id, started_at: started, agent: "recipe", recipe, root, state, restore };
  return { json, text: rowText({ id, started, agent: "recipe", state, restore }, recipe) };
}

/** A launch or conversation that left a snapshot but no work order. Only a conversation of ours has a title. */
function sessionRow(session: SavedSession, home: string): Row {
  const { id, started_at: started, agent, workspace, ended_at: ended } = session.manifest;
  // A conversation that is continued gets another snapshot: `ID-2`.
  const talk = agent === "native" ? summarise(sessionsPlace(home), id.replace(/(?<=-\w{8})-\d+$/, "")) : undefined;
  const over = talk?.state.replace("rested: answered", "done").replace("rested: ", "") ?? "ended";
  const state = { alive: "running", dead: ended === null ? "interrupted" : over, unknown: "unknown" };
  const fields = { id, started, agent, state: state[sessionLife(session)], restore: true };
  const json = { run_id: id, started_at: started, agent, root: workspace, state: fields.state, restore: true };
  return {
    json: talk === undefined ? json : { ...json, task: talk.title },
    text: rowText(fields, talk?.title || `session in ${workspace}`),
  };
}

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
