import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { helpScreen, usageMessage } from "./commands/help-screen.ts";
import { addParts, narrowHelp, refuseExtraWords } from "./commands/sub-verbs.ts";
import type { CommandModule, Verb } from "./commands/command-module.ts";
import { VERBS } from "./verbs.ts";
import { diskError, errorCode, EXIT, isUserError, shortageError, UserError } from "./lib/text/user-error.ts";
import { fitHelp } from "./lib/text/wrap-lines.ts";
import { homeProblem } from "./lib/path/home-folder.ts";
import { printable, printableLine } from "./lib/text/printable.ts";
import { stdoutFull } from "./lib/process/standard-streams.ts";

/** Runs one command line and returns its exit code. Every error is printed here and nowhere else. */
async function main(argv: readonly string[]): Promise<number> {
  const dashes = argv.indexOf("--");
  const own = withKnownWords(dashes === -1 ? argv : argv.slice(0, dashes));
  const passed = dashes === -1 ? undefined : argv.slice(dashes + 1);
  const outcome: Invocation["outcome"] = { exitCode: EXIT.ok };

  const program = new Command("signalbox")
    .description("Run any coding agent under one set of rules.")
    .version(manifest.version, "-V, --version")
    .usage("<command> [flags] [-- agent's own flags]")
    .helpCommand(true)
    // Otherwise the value of another flag could be mistaken for --version.
    .enablePositionalOptions();
  configureOutput(program);

  // A known verb is enough. The others only matter for help and suggestions.
  const chosen = VERBS.find((verb) => verb.name === own[0]);
  let words = own;
  for (const verb of chosen === undefined ? VERBS : [chosen]) {
    const command = program.command(verb.name).description(verb.summary).allowExcessArguments(false);
    configureOutput(command);
    if (verb === chosen) words = await prepare(verb, command, { own, passed, outcome });
  }
  // Only now, because subcommands copy it when they are made.
  program.configureHelp({ formatHelp: () => helpScreen(VERBS, own.includes("--all")) });

  try {
    if (own.length === 0) program.help({ error: true });
    await program.parseAsync(own[0] === "--help" ? ["--help"] : [...words], { from: "user" });
    return outcome.exitCode;
  } catch (error) {
    return report(error);
  }
}

/**
 * `help VERB` prints the same as `VERB --help`, and `-v` and `version` the same as `--version`. An unknown verb is
 * reported with the closest match.
 */
function withKnownWords(words: readonly string[]): readonly string[] {
  const [first, about = "help", ...rest] = words;
  if (words.length === 1 && (first === "-v" || first === "version")) return ["--version"];
  if (first !== "help") return words;
  if (about === "help") return ["--help"];
  if (about === "--all") return ["--help", "--all"];
  return VERBS.some(({ name }) => name === about) ? [about, ...rest.slice(0, 2), "--help"] : [about];
}

/**
 * Loads the chosen verb, or the one that carries out a part of it, and registers its flags. The exit code is stored in
 * `outcome`. Returns the words to parse.
 */
async function prepare(
  chosen: Verb,
  command: Command,
  { own, passed, outcome }: Invocation,
): Promise<readonly string[]> {
  const { name, part } = partOf(chosen, own[1]);
  if (part === undefined) {
    const { command: module } = await chosen.load();
    register(chosen, command, { module, own, passed, outcome });
    addParts(command, chosen);
    return own;
  }
  const [verbName, subVerb] = part.is;
  const verb = VERBS.find((each) => each.name === verbName);
  if (verb === undefined) throw new Error(`${chosen.name} ${name} is ${verbName}, and there is no such verb`);
  const { command: module } = await verb.load();
  const behind = own.slice(2);
  const rename = (help: string) =>
    help.replaceAll(`signalbox ${part.is.join(" ")} `, `signalbox ${chosen.name} ${name} `);
  if (subVerb === undefined) {
    const nested = command.command(name).description(verb.summary).allowExcessArguments(false);
    configureOutput(nested, rename);
    register(verb, nested, { module, own: [name, ...behind], passed, outcome });
    return own;
  }
  configureOutput(command, rename);
  register(verb, command, { module, own: [chosen.name, subVerb, ...behind], passed, outcome, shownAs: name });
  return [chosen.name, subVerb, ...behind];
}

function partOf({ parts = {} }: Verb, name = "") {
  return { name, part: Object.hasOwn(parts, name) ? parts[name] : undefined };
}

interface Registration extends Invocation {
  readonly module: CommandModule;
  /** What the subcommand is called as a part of another verb. */
  readonly shownAs?: string;
}

function register(verb: Verb, command: Command, { module, own, passed, outcome, shownAs }: Registration): void {
  module.configure(command, verb.name);
  const [, word = "", ...rest] = own;
  const help = subVerbOf(module, word);
  if (help !== undefined && rest.some((flag) => flag === "--help" || flag === "-h"))
    narrowHelp(command, shownAs ?? word, help);
  command.action(async () => {
    if (passed !== undefined && passed.length > 0 && module.takesPassed !== true)
      throw new UserError(`${verb.name} takes no arguments after --`, {
        where: "--",
        fix: `see: signalbox ${verb.name} --help`,
      });
    const named = subVerbOf(module, command.args[0] ?? "");
    if (named !== undefined) refuseExtraWords(verb.name, command.args, named);
    outcome.exitCode = await module.run({
      verb: verb.name,
      words: command.args,
      flags: command.opts(),
      passed,
      verbs: VERBS,
    });
  });
}

const subVerbOf = ({ subVerbs = {} }: CommandModule, word: string) =>
  Object.hasOwn(subVerbs, word) ? subVerbs[word] : undefined;

interface Invocation {
  readonly own: readonly string[];
  readonly passed: readonly string[] | undefined;
  readonly outcome: { exitCode: number };
}

const HELP_WIDTH = 80;

/** `rename` changes the names in the help of a verb that is shown as a part of another one. */
function configureOutput(command: Command, rename: (help: string) => string = (help) => help): void {
  command
    .exitOverride()
    .showHelpAfterError(
      `(signalbox ${command.name() === "signalbox" ? "" : `${command.name()} `}--help shows the usage)`,
    )
    .configureOutput({
      writeOut: (text) => void process.stdout.write(fitHelp(rename(text), HELP_WIDTH)),
      outputError: (text, write) => write(`signalbox: ${printable(usageMessage(text, command))}`),
    });
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  // The original error is more useful than one from cleaning up after it.
  const first = thrown instanceof SuppressedError ? firstOf(thrown) : thrown;
  const error = isUserError(first) ? first : (homeProblem(first) ?? diskError(first) ?? shortageError(first) ?? first);
  if (isUserError(error)) {
    const where = error.where === undefined ? "" : `  where: ${printableLine(error.where)}\n`;
    process.stderr.write(`signalbox: ${printable(error.message)}\n${where}  fix: ${printable(error.fix)}\n`);
    return error.exitCode;
  }
  // The reader is gone, which is not an error.
  if (errorCode(error) === "EPIPE") return EXIT.failed;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`signalbox: internal error, please report it\n${printable(detail)}\n`);
  return EXIT.fault;
}

function firstOf({ suppressed }: SuppressedError): unknown {
  return suppressed instanceof SuppressedError ? firstOf(suppressed) : suppressed;
}

// A reader that went away (`signalbox doctor | head -1`) is not an error.
process.on("uncaughtException", (error) =>
  process.exit(errorCode(error) === "EPIPE" ? (process.exitCode ?? EXIT.ok) : report(stdoutFull(error))),
);
// Node exits when it runs out of work, even while we await something that can never happen. That must not look like
// success.
process.exitCode = EXIT.fault;
void main(process.argv.slice(2)).then((code) => (process.exitCode = code));
