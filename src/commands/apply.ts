import type { Command } from "commander";
import { applyRun } from "../backplane/run/apply-run.ts";
import { findRun } from "../backplane/run/find-run.ts";
import { say } from "../lib/say.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { runSetting } from "./run-setting.ts";
import type { CommandModule } from "./verbs.ts";

export const command: CommandModule = {
  configure(command: Command) {
    command
      .argument("<run>", "the id of a staged run, or its beginning")
      .option("--unaccepted", "also when the run did not end well")
      .addHelpText(
        "after",
        "\nFiles of the workspace change; its index, commits and branches do not.\n\nExample:\n  signalbox apply 3f2a",
      );
  },

  async run({ words, flags }) {
    const run = findRun(runSetting(process.env).home, words[0] ?? "");
    if (run.closed !== undefined && run.closed.exit_code !== 0 && flags["unaccepted"] !== true)
      throw new UserError(`this run did not end well: ${run.closed.because}`, {
        where: run.header.run_id,
        fix: "look at its receipt; --unaccepted brings the result back all the same",
        exitCode: EXIT.refused,
      });
    await applyRun(run);
    say(`the result of ${run.header.run_id} is in ${run.header.root}`);
    return EXIT.ok;
  },
};
