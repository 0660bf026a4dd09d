import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Command } from "commander";
import { safePath } from "../../lib/path/inside.ts";
import { currentFolder, findWorkspace } from "../../lib/path/workspace.ts";
import { cleanEnvironment } from "../../lib/process/dangerous-variables.ts";
import { isInsideSession } from "../../lib/process/inside-session.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { checkRunner, findRunner, RUNNER_NAME } from "../../recipes/bridge/find-runner.ts";
import { installRunner } from "../../recipes/bridge/run-runner.ts";
import { RECIPE_EXIT } from "../../recipes/recipe/recipe.ts";
import { openInterruption } from "../../recipes/shell/calling-session.ts";
import type { CommandModule, SubVerbHelp } from "../command-module.ts";
import { subVerb, subVerbsText } from "../sub-verbs.ts";
import { graph, list, show, validate } from "./look.ts";
import { run } from "./run.ts";

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

const ACTIONS = { run, list, show, validate, graph, "install-runner": install };

const ABOUT = `A recipe is a YAML file with steps: commands, tasks for agents, other recipes. Commands run in the sandbox
and are judged by the guard. A name is looked for in .signalbox/recipes, .claude/recipes and amplifier-bundle/recipes
of the repository, RECIPE_RUNNER_RECIPE_DIRS, AMPLIHACK_HOME, ~/.signalbox/recipes, and among our own. See
docs/recipes.md.

Exit codes:
  0 done   1 failed or blocked   2 invalid recipe   3 not found   4 bad arguments`;

const EXAMPLES = [
  "signalbox recipe run fix-failing-test --agent codex",
  'signalbox recipe run implement-feature "add a --json flag to the list command"',
  "signalbox recipe run ./release.yaml -c version=1.2.0",
  "signalbox recipe run --resume 3f2a",
  "signalbox recipe validate ./release.yaml",
];

const LOOKING = ["--recipe-dir", "--working-dir", "--json"];

const RUNNING =
  "--context --agent --engine --dry-run --resume --yes --outside --approve --step-timeout --include-tags --exclude-tags --no-auto-stage --policy --preset --require-sandbox --format".split(
    " ",
  );

const HELP: Readonly<Record<string, SubVerbHelp>> = {
  run: {
    usage: "NAME|FILE [TASK] [-c KEY=VALUE]... [flags] | --resume RUN",
    summary: "run a recipe, or continue a run",
    flags: [...LOOKING, ...RUNNING],
    examples: [
      'signalbox recipe run investigate "why are logins slow?"',
      "signalbox recipe run ./release.yaml -c version=1.2.0 --agent codex",
      "signalbox recipe run ./release.yaml --dry-run --json",
      "signalbox recipe run --resume 3f2a --outside push",
      "signalbox recipe run ./release.yaml --engine rust --json",
    ],
  },
  list: {
    usage: "[--json]",
    summary: "list recipes by name, and where each is",
    flags: LOOKING,
    examples: ["signalbox recipe list"],
  },
  show: {
    usage: "NAME|FILE [--json]",
    summary: "show a recipe as it runs, with what it inherits",
    flags: LOOKING,
    examples: ["signalbox recipe show ./release.yaml"],
  },
  validate: {
    usage: "NAME|FILE [--json]",
    summary: "say what will not work, without running anything",
    flags: LOOKING,
    examples: ["signalbox recipe validate ./release.yaml"],
  },
  graph: {
    usage: "NAME|FILE",
    summary: "print the steps as a Mermaid flow chart",
    flags: LOOKING,
    examples: ["signalbox recipe graph ./release.yaml > release.mmd"],
  },
  "install-runner": {
    usage: "",
    summary: "install the external recipe-runner-rs with cargo",
    flags: [],
    examples: ["RECIPE_RUNNER_INSTALL_TIMEOUT=900 signalbox recipe install-runner"],
    more: "Downloads and compiles the runner. Ends after RECIPE_RUNNER_INSTALL_TIMEOUT seconds (default 300).",
  },
};

export const command: CommandModule = {
  subVerbs: HELP,
  firstWords: () => Object.keys(ACTIONS),

  configure(command: Command) {
    command
      .usage("run|list|show|validate|graph|install-runner [NAME|FILE] [TASK] [flags]")
      .argument("[what]", "run, list, show, validate, graph or install-runner")
      .argument("[recipe]", "the name of a recipe, or the path of its file")
      .argument("[task]", "run: the same as -c task_description=TASK")
      .option("-c, --context <key=value>", "a context value; file:///PATH reads it from a file", collect)
      .option("--agent <name>", "the agent for agent steps (default: the active one)")
      .option(
        "--engine <name>",
        "native, or rust: the external recipe-runner-rs (default: rust if RECIPE_RUNNER_RS_PATH is set)",
      )
      .option("-w, --working-dir <dir>", "where the steps run")
      .option("-R, --recipe-dir <dir>", "look for recipes only here; may be repeated", collect)
      .option("--dry-run", "show what would run; nothing runs")
      .option("--resume <run>", "continue a run that was stopped or killed")
      .option(
        "--yes",
        "you have read the recipe: run it once without trusting it; without a sandbox, do not ask about what the guard cannot read",
      )
      .option("--outside <step>", "let this step leave the sandbox, or do what needs approval", collect)
      .option("--approve <step>", "approve this approval step", collect)
      .option("--step-timeout <seconds>", "the time limit of every step")
      .option("--include-tags <tags>", "of steps with tags, only run those with one of these")
      .option("--exclude-tags <tags>", "skip steps with one of these tags")
      .option("--no-auto-stage", "do not 'git add' what agent steps changed")
      .option("--policy <file>", "use this policy instead of the active one")
      .option("--preset <name>", "default, read-only, ci or none, when no file names one")
      .option("--require-sandbox", "refuse to run where commands cannot run in a sandbox")
      .option("-f, --format <format>", "table, json or yaml")
      .option("--json", "print only the result, as JSON")
      .addHelpText("after", `\n${ABOUT}\n${subVerbsText(HELP, EXAMPLES)}`)
      // Wrong arguments have their own exit code, which scripts for other recipe runners expect.
      .showHelpAfterError(false)
      .configureOutput({ outputError: () => {} })
      .exitOverride((error) => {
        throw error.exitCode === 0 ? error : badArguments(error.message);
      });
  },

  async run(input) {
    const [what, ...words] = input.words;
    if (what === undefined || !Object.hasOwn(ACTIONS, what)) return badVerb(what);
    return await subVerb("recipe", what, ACTIONS)({ ...input, words });
  },
};

function badArguments(message: string): UserError {
  return new UserError(message.replace(/^error: /, ""), {
    where: "signalbox recipe",
    fix: "see: signalbox recipe --help",
    exitCode: RECIPE_EXIT.badArguments,
  });
}

/** The message for a mistyped subcommand, with our exit code. */
function badVerb(what: string | undefined): never {
  try {
    subVerb("recipe", what, ACTIONS);
  } catch (cause) {
    throw badArguments(cause instanceof Error ? cause.message : String(cause));
  }
  throw badArguments("missing subcommand");
}

/** Installs the external runner, and prints which one will be used from now on. */
async function install(): Promise<number> {
  const { env } = process;
  if (isInsideSession(env))
    throw new UserError("an agent's session cannot install programs", {
      where: "signalbox recipe install-runner",
      fix: "run it in your own terminal",
      exitCode: EXIT.failed,
    });
  const cwd = currentFolder();
  const path = [safePath(env, findWorkspace(cwd)), join(env["HOME"] ?? homedir(), ".cargo/bin")].join(delimiter);
  const environment = { ...cleanEnvironment(env), PATH: path };
  using interruption = openInterruption(undefined);
  await installRunner(environment, interruption.signal);
  const { version, path: installed } = await checkRunner(findRunner(env, cwd), environment);
  process.stdout.write(`${RUNNER_NAME} ${version} at ${installed}\n`);
  return EXIT.ok;
}
