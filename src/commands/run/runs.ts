import type { Command } from "commander";
import { recoverRuns } from "../../backplane/run/recover-runs.ts";
import { type KnownRun, knownRuns, runLife, whyUnknown } from "../../backplane/run/known-runs.ts";
import type { RunSetting } from "../../backplane/run/run-parts.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import { printable } from "../../lib/printable.ts";
import { say } from "../../lib/say.ts";
import { EXIT, isUserError, type UserError } from "../../lib/user-error.ts";
import { printJson } from "../flags.ts";
import { runSetting } from "./setting.ts";
import type { CommandModule } from "../command-module.ts";

const MAX_SHOWN = 20;

export const command: CommandModule = {
  configure(command: Command) {
    command
      .option("--json", "print one JSON line per run")
      .option("--all", "all runs, not only the latest")
      .addHelpText(
        "after",
        "\nA run whose signalbox was killed is closed here, with a receipt of what was recorded.\n\nExample:\n  signalbox runs --all",
      );
  },

  async run({ flags }) {
    const setting = runSetting(process.env);
    const { ended: recovered, failure } = await endLost(setting);
    const runs = knownRuns(setting.home);
    const unclear = new Set<KnownRun>(runs.filter((run) => run.end === undefined && runLife(run) === "unknown"));
    for (const run of flags["all"] === true ? runs : runs.slice(-MAX_SHOWN)) {
      const state = unclear.has(run) ? "unknown" : stateOf(run, recovered);
      const { header, end } = run;
      if (flags["json"] === true) printJson({ ...header, state, closed: end ?? null });
      else
        process.stdout.write(
          `${header.run_id}  ${header.started_at}  ${header.agent}  ${state}  ${printable(header.task).replaceAll("\n", " ").slice(0, 60)}\n`,
        );
    }
    for (const run of unclear) say(unclearLine(run));
    if (failure !== undefined) throw failure;
    return EXIT.ok;
  },
};

const unclearLine = (run: KnownRun) =>
  `cannot tell from here whether run ${run.header.run_id} is still active: ${whyUnknown(run)}; check there, or if it has ended: signalbox cancel ${run.header.run_id} --gone`;

interface Recovery {
  readonly ended: ReadonlySet<string>;
  /** Why a run could not be ended, such as a broken store. Printed after the list, which does not need the store. */
  readonly failure: UserError | undefined;
}

async function endLost(setting: RunSetting): Promise<Recovery> {
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
