import type { Command } from "commander";
import { setTimeout as sleep } from "node:timers/promises";
import { endByHand } from "../../receipts/run/recover-runs.ts";
import {
  askToCancel,
  findActiveRun,
  findRun,
  type KnownRun,
  runLife,
  whyUnknown,
} from "../../receipts/run/known-runs.ts";
import type { RunSetting } from "../../receipts/run/run-setup.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { textFlag } from "../flags.ts";
import { runSetting } from "./setting.ts";
import type { CommandModule } from "../command-module.ts";

const PATIENCE_MS = 60_000;
const POLL_MS = 50;

export const command: CommandModule = {
  configure(command: Command) {
    command
      .argument("<run>", "the run id, its first characters, or last: the active run that started last")
      .option("--reason <text>", "why, for the receipt")
      .option("--gone", "close a run from another machine or container that you know has ended")
      .addHelpText(
        "after",
        "\nExamples:\n  signalbox cancel 3f2a --reason 'no longer needed'\n  signalbox cancel last",
      );
  },

  async run({ words, flags }) {
    const setting = runSetting(process.env);
    const run = findActiveRun(setting.home, words[0] ?? "");
    const { run_id: id } = run.header;
    const life = runLife(run);
    if (run.end !== undefined || life === "dead")
      throw new UserError("this run has already ended", { where: id, fix: "'signalbox runs' shows how it ended" });
    if (flags["gone"] === true) return await endGone(run, setting);
    askToCancel(run, (textFlag(flags, "reason") ?? "").slice(0, 500));
    for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
      await sleep(POLL_MS);
      const { end } = findRun(setting.home, run.header.run_id);
      if (end === undefined && runLife(run) !== "dead") continue;
      say(`run ${id} has ended`);
      return EXIT.ok;
    }
    say(`run ${id} was asked to stop, but has not stopped yet`);
    if (life === "unknown") say(`if it has ended (${whyUnknown(run)}): signalbox cancel ${id} --gone`);
    return EXIT.failed;
  },
};

async function endGone(run: KnownRun, setting: RunSetting): Promise<number> {
  const { run_id: id } = run.header;
  if (runLife(run) === "alive")
    throw new UserError("this run is still active", {
      where: id,
      fix: `end it: signalbox cancel ${id}`,
      exitCode: EXIT.refused,
    });
  await endByHand(id, setting);
  say(`run ${id} is closed; signalbox receipt show ${id}`);
  return EXIT.ok;
}
