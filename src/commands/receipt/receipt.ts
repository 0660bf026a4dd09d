import type { CommandInput, CommandModule } from "../command-module.ts";
import { HELP } from "./help.ts";
import { subVerbsText } from "../sub-help.ts";
import { subVerb } from "../sub-verbs.ts";

type SubVerb = (input: CommandInput) => Promise<number>;

const SUB_VERBS: Readonly<Record<string, () => Promise<{ readonly run: SubVerb }>>> = {
  list: () => import("./list.ts"),
  show: () => import("./show.ts"),
  verify: () => import("./verify.ts"),
  diff: () => import("./diff.ts"),
  export: () => import("./export.ts"),
  hash: () => import("./hash.ts"),
};

export const command: CommandModule = {
  subVerbs: HELP,
  firstWords: () => Object.keys(SUB_VERBS),

  configure(receipt) {
    receipt
      .argument("[what]", `one of ${Object.keys(SUB_VERBS).join(", ")}`)
      .argument("[run]", "a run id or its first characters, `last`, or a file")
      .argument("[other]", "the receipt to compare it with")
      .option("--json", "print JSON")
      .option("--diff", "show: print what the run changed; with --md: add it")
      .option("--md", "show: print Markdown for a pull request")
      .option("--all", "diff: compare every field, times and ids too")
      .option("--limit <n>", "how many of the newest receipts `list` prints", "50")
      .option("--key <file>", "check the seal of a file with this public key instead of your own")
      .option("--allow-gone", "verify: don't fail on artifacts that were removed")
      .option("--out <file>", "where `export` writes (default: standard output)")
      .addHelpText("after", subVerbsText(HELP, EXAMPLES));
  },
  async run(input) {
    const { run } = await subVerb("receipt", input.words[0], SUB_VERBS)();
    return run(input);
  },
};

const EXAMPLES = [
  "signalbox receipt show last",
  "signalbox receipt show last --md > pull-request.md",
  "signalbox receipt export last --out receipt.json",
  "signalbox receipt verify receipt.json --key their.pub.pem",
];
