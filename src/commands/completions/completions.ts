import type { Command } from "commander";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { completedVerb } from "./completed-verb.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";
import type { CommandModule } from "../command-module.ts";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const command: CommandModule = {
  firstWords: () => Object.keys(SHELLS),

  configure(command: Command) {
    command
      .argument("<shell>", "bash, zsh or fish")
      .addHelpText(
        "after",
        '\nExamples:\n  signalbox completions bash > ~/.local/share/bash-completion/completions/signalbox\n  signalbox completions zsh > "${fpath[1]}/_signalbox"\n  signalbox completions fish > ~/.config/fish/completions/signalbox.fish',
      );
  },

  async run({ words, verbs }) {
    const write = Object.entries(SHELLS).find(([name]) => name === words[0])?.[1];
    if (write === undefined)
      throw new UserError("unknown shell", {
        where: "completions",
        fix: "use bash, zsh or fish",
      });
    process.stdout.write(write(await Promise.all(verbs.map(completedVerb))));
    return EXIT.ok;
  },
};
