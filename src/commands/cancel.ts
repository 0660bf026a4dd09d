import type { Command } from "commander";
import { setTimeout as sleep } from "node:timers/promises";
import { findRun } from "../backplane/run/find-run.ts";
import { isOwned } from "../backplane/run/run-lock.ts";
import { askToCancel } from "../backplane/run/run-log.ts";
import { say } from "../lib/say.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { textFlag } from "./flags.ts";
import { runSetting } from "./run-setting.ts";
import type { CommandModule } from "./verbs.ts";

const PATIENCE_MS = 60_000;
const POLL_MS = 50;

export const command: CommandModule = {
  configure(command: Command) {
    command
      .argument("<run>", "the id of the run, or its beginning")
      .option("--reason <text>", "why, for the receipt")
      .addHelpText("after", "\nExample:\n  signalbox cancel 3f2a --reason 'not needed any more'");
  },

  async run({ words, flags }) {
    const setting = runSetting(process.env);
    const run = findRun(setting.home, words[0] ?? "");
    if (run.closed !== undefined || !isOwned(run, setting))
      throw new UserError("this run is over", { where: run.header.run_id, fix: "'signalbox runs' shows how it ended" });
    askToCancel(run, (textFlag(flags, "reason") ?? "").slice(0, 500));
    for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
      await sleep(POLL_MS);
      const { closed } = findRun(setting.home, run.header.run_id);
      if (closed === undefined && isOwned(run, setting)) continue;
      say(`run ${run.header.run_id} has ended`);
      return EXIT.ok;
    }
    say(`run ${run.header.run_id} was asked to end, and has not yet`);
    return EXIT.failed;
  },
};
