import type { SubVerbHelp } from "../command-module.ts";

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
    usage: "[RUN | FILE] [--key PEM] [--allow-gone] [--json]",
    summary: "check hashes, signatures, chain and log",
    flags: ["--key", "--allow-gone", "--json"],
    examples: [
      "signalbox receipt verify",
      "signalbox receipt verify last",
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
    usage: "RUN [--out FILE]",
    summary: "write a receipt with seal and key, to verify elsewhere",
    flags: ["--out"],
    examples: ["signalbox receipt export last --out receipt.json"],
  },
  hash: {
    usage: "FILE",
    summary: "print only the canonical hash of a receipt",
    flags: [],
    examples: ["signalbox receipt hash receipt.json"],
  },
};
