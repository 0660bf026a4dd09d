import type { CommandInput, CommandModule } from "../command-module.ts";
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
  firstWords: () => Object.keys(SUB_VERBS),

  configure(receipt) {
    receipt
      .argument("[what]", `one of ${Object.keys(SUB_VERBS).join(", ")}`)
      .argument("[run]", "a run id or its first characters, `last`, or a file")
      .argument("[other]", "the receipt to compare it with")
      .option("--json", "print JSON")
      .option("--limit <n>", "how many of the newest receipts `list` prints", "50")
      .option("--key <file>", "verify a file with this public key instead of your own")
      .option("--allow-gone", "verify: don't fail on artifacts that were removed")
      .option("--out <file>", "where `export` writes (default: standard output)")
      .addHelpText(
        "after",
        `
  list             list the receipts of this machine
  show RUN         show one receipt
  verify           check hashes, signatures, the chain, artifacts and the audit log; exits with 1 on any problem
  verify RUN       the same for one run and the chain it belongs to, and whether it was guarded
  verify FILE      check an exported receipt, or a plain one by its own hash
  diff RUN RUN     show where two receipts differ; exits with 1 when they do
  export RUN       write a receipt with its seal and key, to verify elsewhere
  hash FILE        print only the canonical hash of a receipt

Examples:
  signalbox receipt verify
  signalbox receipt export last --out receipt.json
  signalbox receipt verify receipt.json --key their.pub.pem`,
      );
  },
  async run(input) {
    const { run } = await subVerb("receipt", input.words[0], SUB_VERBS)();
    return run(input);
  },
};
