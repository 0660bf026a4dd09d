import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { usageMessage } from "./commands/usage-message.ts";
import type { Verb } from "./commands/command-module.ts";
import { VERBS } from "./verbs.ts";
import { diskError } from "./lib/disk-error.ts";
import { errorCode } from "./lib/error-code.ts";
import { homeProblem } from "./lib/home-problem.ts";
import { printable } from "./lib/printable.ts";
import { shortageError } from "./lib/shortage-error.ts";
import { stdoutFull } from "./lib/stdout-full.ts";
import { EXIT, isUserError, UserError } from "./lib/user-error.ts";

const EXIT_CODES = `
Exit codes:
  0 done   1 failed   2 invalid usage or input   3 refused   70 internal error
  126 agent found but not runnable   127 agent not installed   128+n ended by signal n
  A launch returns the agent's own exit code.

Examples:
  signalbox claude -- --model sonnet       an interactive session
  signalbox codex --prompt-file task.md    one task, then exit
  signalbox doctor                         what works on this machine`;

/** Runs one command line and returns its exit code. Every error is printed here and nowhere else. */
async function main(argv: readonly string[]): Promise<number> {
  const dashes = argv.indexOf("--");
  const own = withKnownHelp(dashes === -1 ? argv : argv.slice(0, dashes));
  const passed = dashes === -1 ? undefined : argv.slice(dashes + 1);
  const outcome: Invocation["outcome"] = { exitCode: EXIT.ok };

  const program = new Command("signalbox")
    .description("Run any coding agent under one set of rules.")
    .version(manifest.version, "-V, --version")
    .usage("<command> [flags] [-- agent's own flags]")
    .helpCommand(true)
    // Else the value of another flag could be taken for --version.
    .enablePositionalOptions()
    .addHelpText("after", EXIT_CODES);
  configureOutput(program);

  // A known verb is enough: the others matter only to the help and to suggestions.
  const chosen = VERBS.find((verb) => verb.name === own[0]);
  for (const verb of chosen === undefined ? VERBS : [chosen]) {
    const command = program.command(verb.name).description(verb.summary).allowExcessArguments(false);
    configureOutput(command);
    if (verb === chosen) await prepare(verb, command, { passed, outcome });
  }

  try {
    if (own.length === 0) program.help({ error: true });
    await program.parseAsync([...own], { from: "user" });
    return outcome.exitCode;
  } catch (error) {
    return report(error);
  }
}

/** `help VERB` in the words of `VERB --help`. A verb that there is none of is asked for itself: so it is named, and the nearest with it. */
function withKnownHelp(words: readonly string[]): readonly string[] {
  const [first, about = "help"] = words;
  if (first !== "help") return words;
  if (about === "help") return ["--help"];
  return VERBS.some(({ name }) => name === about) ? [about, "--help"] : [about];
}

/** Loads the chosen verb and lets it describe its flags. The exit code lands in `outcome`. */
async function prepare(verb: Verb, command: Command, { passed, outcome }: Invocation): Promise<void> {
  const { command: module } = await verb.load();
  module.configure(command, verb.name);
  command.action(async () => {
    if (passed !== undefined && passed.length > 0 && module.takesPassed !== true)
      throw new UserError(`${verb.name} takes no arguments after --`, {
        where: "--",
        fix: `see: signalbox ${verb.name} --help`,
      });
    outcome.exitCode = await module.run({
      verb: verb.name,
      words: command.args,
      flags: command.opts(),
      passed,
      verbs: VERBS,
    });
  });
}

interface Invocation {
  readonly passed: readonly string[] | undefined;
  readonly outcome: { exitCode: number };
}

function configureOutput(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError(
      `(signalbox ${command.name() === "signalbox" ? "" : `${command.name()} `}--help shows the usage)`,
    )
    .configureOutput({ outputError: (text, write) => write(`signalbox: ${printable(usageMessage(text, command))}`) });
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  // What went wrong first says more than what went wrong while it was cleared away.
  const first = thrown instanceof SuppressedError ? firstOf(thrown) : thrown;
  const error = isUserError(first) ? first : (homeProblem(first) ?? diskError(first) ?? shortageError(first) ?? first);
  if (isUserError(error)) {
    const where = error.where === undefined ? "" : `  where: ${printable(error.where)}\n`;
    process.stderr.write(`signalbox: ${printable(error.message)}\n${where}  fix: ${printable(error.fix)}\n`);
    return error.exitCode;
  }
  // Nobody reads any more; that is not a fault of anybody.
  if (errorCode(error) === "EPIPE") return EXIT.failed;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`signalbox: internal error, please report it\n${printable(detail)}\n`);
  return EXIT.fault;
}

function firstOf({ suppressed }: SuppressedError): unknown {
  return suppressed instanceof SuppressedError ? firstOf(suppressed) : suppressed;
}

// A reader that went away (`signalbox doctor | head -1`) is not a fault.
process.on("uncaughtException", (error) =>
  process.exit(errorCode(error) === "EPIPE" ? (process.exitCode ?? EXIT.ok) : report(stdoutFull(error))),
);
// Who waits for something that can never come lets Node run out of work: that must not look like success.
process.exitCode = EXIT.fault;
void main(process.argv.slice(2)).then((code) => (process.exitCode = code));
