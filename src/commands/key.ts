import { publicKey } from "../receipts/seal/verify-receipts.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { EXIT } from "../lib/text/user-error.ts";
import { printJson } from "./flags.ts";
import type { CommandModule } from "./command-module.ts";
import { subVerb, subVerbsText } from "./sub-verbs.ts";

const EXAMPLES = ["signalbox key show > mine.pub.pem"];

const HELP: NonNullable<CommandModule["subVerbs"]> = {
  show: {
    usage: "[--json]",
    summary: "print the public key of your seals; made on first use",
    flags: ["--json"],
    examples: EXAMPLES,
  },
};

export const command: CommandModule = {
  subVerbs: HELP,
  firstWords: () => ["show"],

  configure(key) {
    key
      .argument("[what]", "show")
      .option("--json", "print the id and the key as JSON")
      .addHelpText("after", subVerbsText(HELP, EXAMPLES));
  },
  async run({ words, flags }) {
    const { id, pem } = subVerb("key", words[0], { show: () => publicKey(signalboxHome()) })();
    if (flags["json"] === true) printJson({ id, public_key: pem });
    else process.stdout.write(pem);
    return EXIT.ok;
  },
};
