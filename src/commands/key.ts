import { publicKey } from "../backplane/receipts/verify-receipts.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { EXIT } from "../lib/user-error.ts";
import { printJson } from "./flags.ts";
import type { CommandModule } from "./command-module.ts";
import { subVerb } from "./sub-verbs.ts";

export const command: CommandModule = {
  firstWords: () => ["show"],

  configure(key) {
    key
      .argument("[what]", "show")
      .option("--json", "print the id and the key as JSON")
      .addHelpText(
        "after",
        "\n  show   the public key that verifies your seals; created on first use\n\nExamples:\n  signalbox key show > mine.pub.pem",
      );
  },
  async run({ words, flags }) {
    const { id, pem } = subVerb("key", words[0], { show: () => publicKey(signalboxHome()) })();
    if (flags["json"] === true) printJson({ id, public_key: pem });
    else process.stdout.write(pem);
    return EXIT.ok;
  },
};
