import type { Command } from "commander";
import { applyRun, describeChanges, findRun } from "../../backplane/run/known-runs.ts";
import { say } from "../../lib/say.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { runSetting } from "./setting.ts";
import type { CommandModule } from "../command-module.ts";

export const command: CommandModule = {
  configure(command: Command) {
    command
      .argument("<run>", "the id of a staged run, its beginning, or last")
      .option("--unaccepted", "also when the run did not end well")
      .option("--allow-protected", "also changes that the guard denies agents: CI files, agent settings, outward links")
      .addHelpText(
        "after",
        "\nFiles of the workspace change; its index, commits and branches do not.\n\nExample:\n  signalbox apply 3f2a\n  signalbox apply last",
      );
  },

  async run({ words, flags }) {
    const run = findRun(runSetting(process.env).home, words[0] ?? "");
    const { header, end } = run;
    const waits = header.mode === "staged" && end?.applied_at === null;
    if (waits && end.exit_code !== EXIT.ok && flags["unaccepted"] !== true)
      throw new UserError(`this run did not end well: ${end.because}`, {
        where: header.run_id,
        fix: "look at its receipt; --unaccepted brings the result back all the same",
        exitCode: EXIT.refused,
      });
    const brought = await applyRun(run, { allowProtected: flags["allowProtected"] === true });
    if (brought.length > 0) say(`protected files were changed, as allowed:\n${describeChanges(brought)}`);
    say(`the result of ${header.run_id} is in ${header.root}`);
    return EXIT.ok;
  },
};
