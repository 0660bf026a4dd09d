import type { CommandInput, CommandModule, SubVerbHelp } from "../command-module.ts";
import { subVerb, subVerbsText } from "../sub-verbs.ts";

type SubVerb = (input: CommandInput) => Promise<number>;

const SUB_VERBS: Readonly<Record<string, SubVerb>> = {
  list: async (input) => (await import("./stored.ts")).list(input),
  show: async (input) => (await import("./show.ts")).run(input),
  verify: async (input) => (await import("./verify.ts")).run(input),
  diff: async (input) => (await import("./diff.ts")).run(input),
  export: async (input) => (await import("./stored.ts")).exportOne(input),
  hash: async (input) => (await import("./stored.ts")).hash(input),
};

const EXAMPLES = [
  "signalbox receipt show last",
  "signalbox receipt show last --md > pull-request.md",
  "signalbox receipt export last --out receipt.json",
  "signalbox receipt verify receipt.json --key their.pub.pem",
];

/** What each subcommand of `receipt` does and reads. */
export const HELP: Readonly<Record<string, SubVerbHelp>> = {
  list: {
    usage: "[--limit N] [--json]",
    summary: "list the receipts of this machine, newest last",
    flags: ["--limit", "--json"],
    examples: ["signalbox receipt list --limit 10"],
  },
  show: {
    usage: "RUN | FILE [--diff] [--md] [--key PEM] [--json]",
    summary: "what was asked, done, denied and changed",
    flags: ["--diff", "--md", "--key", "--json"],
    examples: [
      "signalbox receipt show last",
      "signalbox receipt show 3f2a --diff",
      "signalbox receipt show last --md > pull-request.md",
      "signalbox receipt show receipt.json --key their.pub.pem",
    ],
  },
  verify: {
    usage: "[RUN | FILE | --commit REV] [--key PEM] [--allow-gone] [--json]",
    summary: "check hashes, signatures, chain and log",
    flags: ["--commit", "--key", "--allow-gone", "--json"],
    more: `With --commit: which session made this commit. Exits with 0 only if its receipt
is good and its check passed.`,
    examples: [
      "signalbox receipt verify",
      "signalbox receipt verify last",
      "signalbox receipt verify --commit HEAD",
      "signalbox receipt verify receipt.json --key their.pub.pem",
    ],
  },
  diff: {
    usage: "RUN RUN [--all] [--json]",
    summary: "where two runs differ, without times and ids",
    flags: ["--all", "--json"],
    examples: ["signalbox receipt diff 3f2a last"],
  },
  export: {
    usage: "RUN [--otlp] [--out FILE]",
    summary: "write a receipt with seal and key, to verify elsewhere",
    flags: ["--otlp", "--out"],
    more: `With --otlp: as a trace for a collector, one span per call, without the content.`,
    examples: [
      "signalbox receipt export last --out receipt.json",
      "signalbox receipt export last --otlp --out trace.json",
    ],
  },
  hash: {
    usage: "FILE",
    summary: "print only the canonical hash of a receipt",
    flags: [],
    examples: ["signalbox receipt hash receipt.json"],
  },
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
      .option("--commit <rev>", "verify: the session that made this commit, and its check")
      .option("--allow-gone", "verify: don't fail on artifacts that were removed")
      .option("--otlp", "export: a trace of OpenTelemetry (OTLP/HTTP in JSON), without the content")
      .option("--out <file>", "where `export` writes (default: standard output)")
      .addHelpText("after", subVerbsText(HELP, EXAMPLES));
  },
  async run(input) {
    return await subVerb("receipt", input.words[0], SUB_VERBS)(input);
  },
};
