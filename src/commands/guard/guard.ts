import type { CommandInput, CommandModule } from "../command-module.ts";
import { HELP } from "./help.ts";
import { subVerbsText } from "../sub-help.ts";
import { subVerb } from "../sub-verbs.ts";

type SubVerb = (input: CommandInput) => Promise<number>;

/** Each guard subcommand, loaded when it is used. */
const SUB_VERBS: Readonly<Record<string, () => Promise<{ readonly run: SubVerb }>>> = {
  explain: () => import("./explain.ts"),
  allow: () => import("./allow.ts"),
  learn: () => import("./learn.ts"),
  judge: () => import("./judge.ts"),
  screen: () => import("./screen.ts"),
  taint: () => import("./taint.ts"),
  test: () => import("./test.ts"),
  compile: () => import("./compile.ts"),
  replay: () => import("./replay.ts"),
};

export const command: CommandModule = {
  takesPassed: true,
  subVerbs: HELP,
  firstWords: () => Object.keys(SUB_VERBS),

  configure(guard) {
    guard
      .argument("[what]", `one of ${Object.keys(SUB_VERBS).join(", ")}`)
      .argument("[file]", "a policy file, for test; a command, for explain and allow")
      .option("--policies <file>", "named policies for the lines of `judge`")
      .option("--policy <file>", "judge under this policy file instead of the active one")
      .option("--contained <yes|no>", "judge as in a session's sandbox, or as without one (what is so here)")
      .option("--host <name>", "with allow: open this host, NAME or NAME:PORT, to every command")
      .option("--since <time>", "for replay and learn: only decisions since this time, or of the last 7d, 12h")
      .option("--repository", "with allow: write to .signalbox/policy.yaml instead of your own policy")
      .option("--prefix", "with allow: every command that begins with these words")
      .option("--yes", "with allow: write what is shown without asking")
      .option("--out <file>", "where `compile` writes, - for standard output")
      .option("--preset <name>", "default, read-only, ci or none, when no file names one")
      .option("--session <id>", "the session that read what is screened, or whose taint is shown")
      .option("--clear", "with taint: clear it, as if the user had just spoken")
      .option("--json", "print JSON")
      .addHelpText("after", subVerbsText(HELP, EXAMPLES));
  },
  async run(input) {
    const { run } = await subVerb("guard", input.words[0], SUB_VERBS)();
    return run(input);
  },
};

const EXAMPLES = [
  "signalbox guard explain 'git log | sh'",
  "signalbox guard allow 'node scripts/build.mjs'",
  "signalbox guard learn --since 7d",
  "signalbox guard test policy.yaml",
];
