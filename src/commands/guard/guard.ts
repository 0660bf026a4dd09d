import type { CommandInput, CommandModule } from "../command-module.ts";
import { subVerb } from "../sub-verbs.ts";

type SubVerb = (input: CommandInput) => Promise<number>;

/** Each guard subcommand, loaded when it is used. */
const SUB_VERBS: Readonly<Record<string, () => Promise<{ readonly run: SubVerb }>>> = {
  explain: () => import("./explain.ts"),
  judge: () => import("./judge.ts"),
  screen: () => import("./screen.ts"),
  taint: () => import("./taint.ts"),
  test: () => import("./test.ts"),
  compile: () => import("./compile.ts"),
  replay: () => import("./replay.ts"),
};

export const command: CommandModule = {
  takesPassed: true,
  firstWords: () => Object.keys(SUB_VERBS),

  configure(guard) {
    guard
      .argument("[what]", `one of ${Object.keys(SUB_VERBS).join(", ")}`)
      .argument("[file]", "a policy file, for test")
      .option("--policies <file>", "named policies for the lines of `judge`")
      .option("--policy <file>", "judge under this policy file instead of the active one")
      .option("--since <time>", "replay only decisions since this time")
      .option("--out <file>", "where `compile` writes, - for standard output")
      .option("--preset <name>", "default, read-only, ci or none, when no file names one")
      .option("--session <id>", "the session that read what is screened, or whose taint is shown")
      .option("--clear", "with taint: clear it, as if the user had just spoken")
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        `
  explain -- COMMAND   what a shell command would do, and whether it is allowed
  judge                JSON lines {id, policy?, tool, input} in, {id, verdict, code, rules, because} out;
                       a line without a policy is judged under the active one
  screen               JSON lines {id, text, channel?} in, {id, risk, findings} out;
                       with --session, medium and above taints that session
  taint                show, or --clear, the taint of --session
  test FILE            run the examples of a policy file, list rules that have no effect
  compile              write the active policy in the form that hooks read
  replay               judge recorded decisions again under --policy, and show what would change

Examples:
  signalbox guard explain -- 'git log | sh'
  signalbox guard judge --policies policies.json < cases.jsonl`,
      );
  },
  async run(input) {
    const { run } = await subVerb("guard", input.words[0], SUB_VERBS)();
    return run(input);
  },
};
