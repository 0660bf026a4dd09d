import type { Command } from "commander";
import { applyRun, describeChanges, findRun, withRunLock } from "../../receipts/run/known-runs.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { runSetting } from "./setting.ts";
import type { CommandModule } from "../command-module.ts";

export const command: CommandModule = {
  configure(command: Command) {
    command
      .argument("<run>", "the id of a staged run, its first characters, or last")
      .option("--unaccepted", "apply even though the run failed")
      .option(
        "--allow-protected",
        "also apply changes that the guard blocks: CI files, agent settings, links out of the workspace",
      )
      .addHelpText(
        "after",
        "\nChanges files in the workspace, but not its index, commits or branches.\n\nExample:\n  signalbox apply 3f2a\n  signalbox apply last",
      );
  },

  async run({ words, flags }) {
    const { home } = runSetting(process.env);
    const run = findRun(home, words[0] ?? "");
    const { header, end } = run;
    const waits = header.mode === "staged" && end?.applied_at === null;
    if (waits && end.exit_code !== EXIT.ok && flags["unaccepted"] !== true)
      throw new UserError(`this run failed: ${end.because}`, {
        where: header.run_id,
        fix: "check its receipt; --unaccepted applies the result anyway",
        exitCode: EXIT.refused,
      });
    // So that no prune removes the result meanwhile.
    const brought = await withRunLock(home, () => applyRun(run, { allowProtected: flags["allowProtected"] === true }));
    if (brought.length > 0) say(`protected files were changed, as you allowed:\n${describeChanges(brought)}`);
    say(`the result of ${header.run_id} is in ${header.root}`);
    return EXIT.ok;
  },
};
