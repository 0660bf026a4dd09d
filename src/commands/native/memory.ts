import type { Command } from "commander";
import { currentFolder, findWorkspace } from "../../lib/path/workspace.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { printable } from "../../lib/text/printable.ts";
import { refuseInSandbox } from "../../lib/process/inside-session.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { forgetMemories, forgetMemory, readMemories } from "../../native/knowledge/memories.ts";
import type { CommandInput, CommandModule, SubVerbHelp } from "../command-module.ts";
import { printJson } from "../flags.ts";
import { subVerb, subVerbsText } from "../sub-verbs.ts";

const HELP: Readonly<Record<string, SubVerbHelp>> = {
  list: {
    usage: "[--json]",
    summary: "list what was stored, with numbers",
    flags: ["--json"],
    examples: ["signalbox memory list"],
  },
  forget: {
    usage: "[N] [--all]",
    summary: "remove one by its number, or all",
    flags: ["--all"],
    examples: ["signalbox memory forget 3", "signalbox memory forget --all"],
  },
};

/** `signalbox memory`: what the engine has stored about this workspace, for the person to see and remove. */
export const command: CommandModule = {
  subVerbs: HELP,
  firstWords: () => Object.keys(ACTIONS),

  configure(command: Command) {
    command
      .argument("<what>", "list or forget")
      .argument("[number]", "forget: the number in the list")
      .option("--all", "forget: everything about this workspace")
      .option("--json", "print JSON")
      .addHelpText("after", subVerbsText(HELP, ["signalbox memory list", "signalbox memory forget 3"]));
  },

  async run(input) {
    return subVerb("memory", input.words[0], ACTIONS)(input);
  },
};

const ACTIONS = { list, forget };

function place() {
  return { home: signalboxHome(), workspace: findWorkspace(currentFolder()) };
}

function list({ flags }: CommandInput): number {
  const { home, workspace } = place();
  const memories = readMemories(home, workspace);
  if (flags["json"] === true) printJson({ workspace, memories });
  else if (memories.length === 0) process.stdout.write("nothing stored about this workspace\n");
  else for (const [index, memory] of memories.entries()) process.stdout.write(`${index + 1}. ${printable(memory)}\n`);
  return EXIT.ok;
}

function forget({ words, flags }: CommandInput): number {
  refuseInSandbox("memories cannot be changed inside a session", "run this in your own terminal");
  const { home, workspace } = place();
  const [, word] = words;
  const all = flags["all"] === true;
  if ((word === undefined) !== all)
    throw new UserError(all ? "pass a number or --all, not both" : "which one?", {
      where: "signalbox memory forget",
      fix: "pass its number from signalbox memory list, or --all",
    });
  if (all) {
    forgetMemories(home, workspace);
    process.stdout.write("forgot everything about this workspace\n");
    return EXIT.ok;
  }
  const forgotten = /^[1-9]\d{0,8}$/.test(word ?? "") ? forgetMemory(home, workspace, Number(word)) : undefined;
  if (forgotten === undefined)
    throw new UserError("there is no memory with this number", {
      where: `signalbox memory forget ${(word ?? "").slice(0, 40)}`,
      fix: "use a number from signalbox memory list",
    });
  process.stdout.write(`forgot: ${printable(forgotten)}\n`);
  return EXIT.ok;
}
