import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Command } from "commander";
import { exitStatus } from "../launch/exit-status.ts";
import { errorCode, UserError } from "../lib/text/user-error.ts";
import { refuseInSandbox } from "../lib/process/inside-session.ts";
import type { CommandModule } from "./command-module.ts";

export const command: CommandModule = {
  takesPassed: true,
  configure(command: Command) {
    command.usage("-- PROGRAM [ARGUMENT...]").addHelpText(
      "after",
      `
An agent calls this when a command needs more than the session's sandbox gives. The guard judges the command as it
would without a sandbox: it asks, blocks it when nobody can be asked, or allows it by an exact rule of the policy
(signalbox guard allow 'COMMAND'). It must be the whole call: no pipes, redirections or variables.

Examples:
  signalbox outside -- git push
  signalbox outside -- docker compose up -d`,
    );
  },

  async run({ passed = [] }) {
    const [program, ...argv] = passed;
    if (program === undefined) throw new UserError("no command to run", { fix: "try: signalbox outside -- git push" });
    refuseInSandbox(
      "this already runs inside the sandbox, which cannot be left from within",
      "make `signalbox outside -- CMD` the whole command of a call",
    );
    const child = spawn(program, argv, { stdio: "inherit" });
    try {
      await once(child, "spawn");
    } catch (error) {
      throw new UserError(`${program} cannot be started (${errorCode(error) ?? "unknown error"})`, {
        fix: "check the name of the program",
        exitCode: 127,
        cause: error,
      });
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    return exitStatus({ code: child.exitCode, signal: child.signalCode }, undefined);
  },
};
