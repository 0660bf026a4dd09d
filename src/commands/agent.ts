import type { Command } from "commander";
import { resolveAgent } from "../agents/active-agent.ts";
import { currentFolder } from "../lib/path/workspace.ts";
import { isFolder } from "../lib/path/find-program.ts";
import { say } from "../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { printJson, textFlag } from "./flags.ts";
import type { CommandModule } from "./command-module.ts";

export const command: CommandModule = {
  configure(command: Command) {
    command
      .option("--cwd <dir>", "look from this folder (default: the current one)")
      .option("--json", "print {agent, source, warnings}")
      .addHelpText(
        "after",
        '\nExample:\n  signalbox agent --json      {"agent":"claude","source":"file","warnings":[]}',
      );
  },

  async run({ flags }) {
    const cwd = textFlag(flags, "cwd") ?? currentFolder();
    if (!isFolder(cwd)) {
      throw new UserError("no such folder", { where: `--cwd ${cwd}`, fix: "pass the path of a folder" });
    }
    const active = resolveAgent(cwd, process.env);
    if (flags["json"] === true) printJson(active);
    else {
      process.stdout.write(`${active.agent}\n`);
      for (const warning of active.warnings) say(warning);
      say(`decided by ${WHY[active.source]}`);
    }
    return EXIT.ok;
  },
};

const WHY = {
  env: "the environment (SIGNALBOX_AGENT, AMPLIHACK_AGENT_BINARY)",
  file: "the last launch in this repository",
  default: "the built-in default",
};
