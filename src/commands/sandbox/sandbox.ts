import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Command } from "commander";
import { exitStatus } from "../../launch/exit-status.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { say } from "../../lib/say.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { refuseInSandbox } from "../../lib/refuse-in-sandbox.ts";
import { openContainedSession } from "../../sandbox/contained-session.ts";
import { chosenPolicy } from "../active-policy.ts";
import type { CommandModule } from "../command-module.ts";
import { explainSandbox } from "./explain.ts";

export const command: CommandModule = {
  takesPassed: true,
  configure(command: Command) {
    command
      .usage("[flags] -- COMMAND")
      .option("--explain", "show what commands in the sandbox can reach")
      .option("--json", "with --explain: print JSON")
      .option("--policy <file>", "use this policy instead of the active one")
      .option("--preset <name>", "default, read-only, ci or none, when no file names one")
      .addHelpText(
        "after",
        `
Runs one command in the same sandbox that agents get, without judging it first. Several words are one program with its
arguments; a single word is a line for bash. Exits with the command's exit code, or 3 when there is no sandbox.

Examples:
  signalbox sandbox -- npm test
  signalbox sandbox -- 'cat ~/.ssh/id_ed25519 | wc'
  signalbox sandbox --explain`,
      );
  },

  async run({ flags, passed = [] }) {
    const chosen = chosenPolicy(flags).policy;
    const policy = chosen.sandbox === "off" ? { ...chosen, sandbox: "auto" as const } : chosen;
    if (flags["explain"] !== true && passed.length === 0)
      throw new UserError("no command to run", { fix: "try: signalbox sandbox -- npm test" });
    refuseInSandbox(
      "this already runs inside a session's sandbox",
      "run the command as it is, without signalbox sandbox",
    );
    const session = await openContainedSession({
      policy,
      agent: "signalbox",
      environment: process.env,
      signalboxHome: signalboxHome(),
      network: () => policy.network,
      isTainted: () => false,
      warn: say,
    });
    if (!session.contained) {
      const { because, fix } = session.containment;
      throw new UserError(`the command cannot be contained: ${because}`, { fix, exitCode: EXIT.refused });
    }
    await using open = session;
    if (flags["explain"] === true) {
      process.stdout.write(explainSandbox(open, policy, flags["json"] === true));
      return EXIT.ok;
    }
    const [only = ""] = passed;
    const status = await runInside(open.program, passed.length === 1 ? only : passed.map(shQuote).join(" "));
    for (const note of open.takeNotes()) say(note);
    return status;
  },
};

async function runInside(program: string, line: string): Promise<number> {
  const child = spawn(program, [line], { cwd: currentFolder(), stdio: "inherit" });
  // The terminal sends Ctrl-C to the command too, which decides.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  await once(child, "exit");
  process.off("SIGINT", ignore);
  return exitStatus({ code: child.exitCode, signal: child.signalCode }, undefined);
}
