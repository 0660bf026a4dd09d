import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { copilot } from "../agents/copilot/program.ts";
import { findBinary } from "../agents/find-binary.ts";
import { nestedArgv, normaliseNestedCopilot, PERMISSIVE_PREFIX } from "../agents/copilot/normalise-nested.ts";
import { launchAgent } from "../launch/launch.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { say } from "../lib/say.ts";
import { EXIT } from "../lib/user-error.ts";
import { printJson } from "./flags.ts";
import type { CommandModule } from "./command-module.ts";

export const command: CommandModule = {
  takesPassed: true,
  configure(command: Command) {
    command
      .usage("[--print] -- copilot's arguments")
      .option("--print", "print the resulting arguments as a JSON array and start nothing")
      .addHelpText(
        "after",
        "\nPut the folder 'shims' of signalbox first on PATH, and programs that start copilot by name come here.\n\nExample:\n  signalbox nested-copilot --print -- --append-system-prompt 'Be brief.' -p 'Fix the test.'",
      );
  },

  async run({ flags, passed = [] }) {
    const nested = normaliseNestedCopilot(passed);
    const prefix = PERMISSIVE_PREFIX.join(" ");
    if (flags["print"] === true) {
      if (nested.undecided) say(`no decision on tools or paths was given: ${prefix} is added`);
      printJson(nestedArgv(nested));
      return EXIT.ok;
    }
    if (nested.undecided)
      say(`no decision on tools or paths was given: ${prefix} is added, and the guard holds every call`);
    const scoped = nested.forbiddenTools.filter((tool) => /\W/.test(tool));
    if (scoped.length > 0)
      say(`forbidden in the prompt alone, because they are no names of tools: ${scoped.join(", ")}`);
    const cwd = currentFolder();
    return await launchAgent({
      agent: copilot,
      binary: findBinary(copilot, process.env, [cwd]),
      flags: nested.undecided ? [...PERMISSIVE_PREFIX, ...nested.flags] : nested.flags,
      prompt: nested.prompt === undefined ? undefined : Buffer.from(nested.prompt),
      cwd,
      env: process.env,
      version: manifest.version,
      deniedTools: nested.forbiddenTools.filter((tool) => !scoped.includes(tool)),
      warn: say,
    });
  },
};
