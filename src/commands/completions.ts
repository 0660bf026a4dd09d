import type { Command } from "commander";
import { EXIT, UserError } from "../lib/user-error.ts";
import { completedVerb } from "./completed-verb.ts";
import { bashScript } from "./completions-bash.ts";
import { fishScript } from "./completions-fish.ts";
import { zshScript } from "./completions-zsh.ts";
import { type CommandModule, VERBS } from "./verbs.ts";

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

  async run({ words }) {
    const write = Object.entries(SHELLS).find(([name]) => name === words[0])?.[1];
    if (write === undefined)
      throw new UserError("there is no completion for that shell", {
        where: "completions",
        fix: "use bash, zsh or fish",
      });
    process.stdout.write(write(await Promise.all(VERBS.map(completedVerb))));
    return EXIT.ok;
  },
};
