import { styleText } from "node:util";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type { CheckResult } from "../doctor/check.ts";
import { examine } from "../doctor/examine.ts";
import { deliveryLines } from "../doctor/prompt-delivery.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { printable } from "../lib/printable.ts";
import { say } from "../lib/say.ts";
import { EXIT } from "../lib/user-error.ts";
import { endLeftCommands } from "../tools/command/left-commands.ts";
import { printJson } from "./flags.ts";
import type { CommandModule } from "./command-module.ts";

export const command: CommandModule = {
  configure(command: Command) {
    command
      .option("--json", "print {ok, checks: [{id, status, summary, fix?, facts?}], promptDelivery}")
      .addHelpText(
        "after",
        "\nExits with 1 when a check fails.\n\nExample:\n  AMPLIHACK_PROMPT_DELIVERY=tempfile signalbox doctor",
      );
  },

  async run({ flags }) {
    await endLeftCommands(signalboxHome(), say);
    const examination = await examine(currentFolder(), process.env, manifest.version);
    if (flags["json"] === true) printJson(examination);
    else {
      const failed = examination.checks.filter((check) => check.status === "fail").length;
      const verdict = failed === 0 ? "No check failed." : `${failed} check${failed === 1 ? "" : "s"} failed.`;
      const lines = [
        ...examination.checks.flatMap(checkLines),
        "",
        ...deliveryLines(examination.promptDelivery),
        "",
        verdict,
      ];
      process.stdout.write(`${lines.join("\n")}\n`);
    }
    return examination.ok ? EXIT.ok : EXIT.failed;
  },
};

const COLOURS = { ok: "green", warn: "yellow", fail: "red", absent: "dim" } as const;

function checkLines({ id, status, summary, fix }: CheckResult): string[] {
  const mark = styleText(COLOURS[status], status.padEnd(6), { stream: process.stdout });
  const line = `${mark} ${id.padEnd(17)} ${oneLine(summary)}`;
  return fix === undefined ? [line] : [line, `${" ".repeat(25)}fix: ${oneLine(fix)}`];
}

const oneLine = (text: string) => printable(text).replaceAll("\n", "\\n");
