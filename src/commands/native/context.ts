import { realpathSync, statSync } from "node:fs";
import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { contextView } from "../../hosts/native/context-view.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { say } from "../../lib/say.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { sessionPolicy } from "../active-policy.ts";
import type { CommandModule } from "../command-module.ts";
import { printJson } from "../flags.ts";
import { contextScreen } from "./context-screen.ts";
import { addSkillFlags, skillSettings } from "./flags.ts";

/** `signalbox context`: what a session of native would start with in a folder. Runs nothing and asks no model. */
export const command: CommandModule = {
  configure(command: Command) {
    addSkillFlags(command.argument("[folder]", "a folder of the workspace (default: this one)"))
      .option("--json", "print JSON")
      .addHelpText("after", "\nExamples:\n  signalbox context\n  signalbox context --json packages/api");
  },

  async run({ words, flags }) {
    const cwd = words[0] === undefined ? currentFolder() : folderOf(words[0]);
    const policy = sessionPolicy({}, cwd);
    const settings = loadSettings({ home: signalboxHome(), workspace: policy.workspaceRoot });
    for (const note of settings.notes) say(note);
    const view = contextView({
      policy,
      cwd,
      home: signalboxHome(),
      environment: process.env,
      version: manifest.version,
      unattended: false,
      skillSettings: skillSettings(flags, settings.skills),
    });
    if (flags["json"] === true) printJson(view);
    else process.stdout.write(contextScreen(view));
    return EXIT.ok;
  },
};

function folderOf(word: string): string {
  try {
    const folder = realpathSync(word);
    if (statSync(folder).isDirectory()) return folder;
  } catch {
    // Said below.
  }
  throw new UserError("not a folder", { where: word, fix: "pass an existing folder" });
}
