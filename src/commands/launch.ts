import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { planDelivery, requestedMode, runsNoTools } from "../agents/deliver-prompt.ts";
import { findBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { agentNamed } from "../agents/packs.ts";
import { type Launch, launchAgent } from "../launch/launch.ts";
import { readPrompt } from "../launch/read-prompt.ts";
import { currentFolder } from "../lib/path/workspace.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { say } from "../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { isProvable, requireProof, unprovenLine } from "../proof/proof-state.ts";
import type { CommandModule } from "./command-module.ts";
import { once, textFlag } from "./flags.ts";

export const command: CommandModule = {
  takesPassed: true,
  configure(command: Command, verb: string) {
    command
      .usage("[flags] [-- agent's own flags, or one prompt]")
      .option("-p, --prompt <text>", "run one task with this prompt, then exit", once)
      .option("--prompt-file <file>", "read the prompt from a file ('-' is stdin)", once)
      .option("--unguarded", "start it without the guard")
      .option("--require-sandbox", "refuse to start where commands cannot run in a sandbox")
      .option("--require-proof", "refuse to start unless this agent is proven to obey the rules")
      .showHelpAfterError(`(a flag of ${verb} itself? put it after --: signalbox ${verb} -- --flag)`)
      .addHelpText("after", examples(verb));
  },

  async run({ verb, flags, passed = [] }) {
    const agent = agentNamed(verb, `signalbox ${verb}`);
    refuseModes(agent, process.env);
    const sources = { text: textFlag(flags, "prompt"), file: textFlag(flags, "promptFile"), passed };
    const cwd = currentFolder();
    const binary = findBinary(agent, process.env, [cwd]);
    const { version } = manifest;
    const [home, unguarded] = [signalboxHome(), flags["unguarded"] === true];
    if (flags["requireProof"] === true) requireProof(agent, binary, { home, version, unguarded });
    const given = await readPrompt(agent, sources);
    const launch: Launch = {
      agent,
      binary,
      ...given,
      cwd,
      env: process.env,
      version,
      unguarded,
      requireSandbox: flags["requireSandbox"] === true,
      warn: say,
    };
    sayUnproven(launch, home);
    return await launchAgent(launch);
  },
};

/** Warns once a day that enforcement has not been proven yet for this program. */
function sayUnproven(launch: Launch, home: string): void {
  if (
    launch.unguarded === true ||
    !isProvable(launch.agent.name) ||
    runsNoTools(launch.agent, launch.flags, launch.prompt !== undefined)
  )
    return;
  const line = unprovenLine(launch.agent, launch.binary, { home, version: launch.version });
  if (line !== undefined) launch.warn(line);
}

/** A delivery mode that this agent rejects stops every launch, even one whose prompt we would leave alone. */
function refuseModes(agent: Agent, env: NodeJS.ProcessEnv): void {
  const { mode } = requestedMode(env);
  const { error } = planDelivery(agent, mode, { bytes: 1, characters: 1 });
  if (error === undefined) return;
  throw new UserError(error, {
    where: "SIGNALBOX_PROMPT_DELIVERY or AMPLIHACK_PROMPT_DELIVERY",
    fix: "unset it, or set it to auto or argv",
    exitCode: EXIT.refused,
  });
}

function examples(verb: string): string {
  const lines = [
    [`signalbox ${verb}`, "an interactive session"],
    [`signalbox ${verb} -- --version`, `what is after -- goes to ${verb}`],
    [`signalbox ${verb} --prompt-file task.md`, "one task, then its own exit code"],
    [`git diff | signalbox ${verb}`, "piped input is the prompt"],
  ] as const;
  const width = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`).join("\n")}`;
}
