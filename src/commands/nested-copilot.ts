import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { copilot } from "../agents/copilot.ts";
import { findBinary } from "../agents/find-binary.ts";
import { nestedArgv, normaliseNestedCopilot, PERMISSIVE_PREFIX } from "../agents/normalise-nested.ts";
import { launchAgent } from "../launch/launch.ts";
import { say } from "../lib/say.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { printJson } from "./flags.ts";
import type { CommandModule } from "./verbs.ts";

const DEPTH_VARIABLE = "SIGNALBOX_NESTED_DEPTH";
const MOST_DEPTH = 4;

export const command: CommandModule = {
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
    const env = { ...process.env, [DEPTH_VARIABLE]: String(depthBelow(process.env)) };
    if (nested.undecided) say(`unguarded, so ${prefix} is not added; copilot will refuse what it would ask about`);
    if (nested.forbiddenTools.length > 0) say("unguarded, so the forbidden tools are only forbidden in the prompt");
    return await launchAgent({
      agent: copilot,
      binary: findBinary(copilot, process.env),
      flags: nested.flags,
      prompt: nested.prompt === undefined ? undefined : Buffer.from(nested.prompt),
      cwd: process.cwd(),
      env,
      version: manifest.version,
      warn: say,
    });
  },
};

/** A copilot that leads back to us would go on for ever. */
function depthBelow(env: NodeJS.ProcessEnv): number {
  const depth = Number(env[DEPTH_VARIABLE] ?? "0");
  if (Number.isInteger(depth) && depth >= 0 && depth < MOST_DEPTH) return depth + 1;
  throw new UserError(`copilot was started ${MOST_DEPTH} times inside itself`, {
    where: DEPTH_VARIABLE,
    fix: "set SIGNALBOX_COPILOT_BINARY to the real copilot, or take signalbox's shims off PATH",
    exitCode: EXIT.refused,
  });
}
