import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import type { Command } from "commander";
import { exitStatus } from "../../launch/exit-status.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { randomId } from "../../lib/random-id.ts";
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
      caller: { session: randomId(), agent: "signalbox sandbox" },
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
    const line = passed.length === 1 ? only : passed.map(shQuote).join(" ");
    const { status, output } = await runInside(open.program, line);
    for (const note of open.takeNotes(status === 0 ? undefined : { output, command: line, folder: currentFolder() }))
      say(note);
    return status;
  },
};

/** Its errors are looked at on their way, unless they go to a terminal, which some programs want to have. */
async function runInside(program: string, line: string) {
  const errors = isatty(2) ? "inherit" : "pipe";
  const child = spawn(program, [line], { cwd: currentFolder(), stdio: ["inherit", "inherit", errors] });
  let output = errors === "pipe" ? "" : undefined;
  child.stderr?.on("data", (chunk: Buffer) => {
    process.stderr.write(chunk);
    output = `${output}${chunk.toString("utf8")}`.slice(-MAX_OUTPUT);
  });
  // The reader has gone away: the command meets that as it would without us.
  if (child.stderr !== null) process.stderr.on("error", () => child.stderr?.destroy());
  const closed = once(child, "close");
  // The terminal sends Ctrl-C to the command too, which decides.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  await once(child, "exit");
  process.off("SIGINT", ignore);
  // What it left running in the background still has the pipe.
  await Promise.race([closed, sleep(LINGER_MS)]);
  return { status: exitStatus({ code: child.exitCode, signal: child.signalCode }, undefined), output };
}

const MAX_OUTPUT = 64 * 1024;
const LINGER_MS = 500;
