import { styleText } from "node:util";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type { CheckResult } from "../doctor/check.ts";
import { examine } from "../doctor/examine.ts";
import { deliveryLines } from "../doctor/prompt-delivery.ts";
import { calledAs } from "../lib/called-as.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { isInsideSession } from "../lib/inside-session.ts";
import { say } from "../lib/say.ts";
import { EXIT } from "../lib/user-error.ts";
import { endLeftCommands } from "../tools/command/left-commands.ts";
import { checkLines, doctorScreen } from "./doctor-screen.ts";
import { printJson } from "./flags.ts";
import type { CommandModule } from "./command-module.ts";

export const command: CommandModule = {
  configure(command: Command) {
    command
      .option("--verbose", "show every check, and how prompts are passed to agents")
      .option("--json", "print {ok, canStart, next, checks, promptDelivery}")
      .addHelpText(
        "after",
        "\nExits with 1 when a check fails.\n\nExamples:\n  signalbox doctor\n  signalbox doctor --verbose",
      );
  },

  async run({ flags }) {
    if (!isInsideSession(process.env)) await endLeftCommands(signalboxHome(), say);
    const cwd = currentFolder();
    const examination = await examine(cwd, process.env, manifest.version);
    if (flags["json"] === true) printJson(examination);
    else {
      const { isTTY, columns, rows } = process.stdout;
      const size = isTTY ? { width: columns, rows } : {};
      const as = calledAs(process.env, cwd);
      process.stdout.write(doctorScreen(examination, { ...size, paint, as }));
      if (flags["verbose"] === true) {
        const lines = [
          ...examination.checks.flatMap((check) => checkLines(check, { width: size.width, paint })),
          "",
          ...deliveryLines(examination.promptDelivery),
        ];
        process.stdout.write(`\n${lines.join("\n")}\n`);
      }
    }
    return examination.ok ? EXIT.ok : EXIT.failed;
  },
};

const COLOURS = { ok: "green", warn: "yellow", fail: "red", absent: "dim" } as const;

const paint = (status: CheckResult["status"], text: string) =>
  styleText(COLOURS[status], text, { stream: process.stdout });
