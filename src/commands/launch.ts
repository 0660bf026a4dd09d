import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { planDelivery, requestedMode, runsNoTools } from "../agents/deliver-prompt.ts";
import { findBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { agentNamed, findPack as packOf } from "../agents/packs.ts";
import { systemProcesses } from "../hosts/program/system-processes.ts";
import type { CheckOrder } from "../launch/launch-check.ts";
import { type Launch, launchAgent } from "../launch/launch.ts";
import { readPrompt } from "../launch/read-prompt.ts";
import { currentFolder, findWorkspace } from "../lib/path/workspace.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { say } from "../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { isProvable, requireProof, unprovenLine } from "../proof/proof-state.ts";
import type { CommandModule } from "./command-module.ts";
import { acceptPatterns, check, countFlag, once, textFlag, textsFlag } from "./flags.ts";

const collectAny = (value: string, before: string[] | undefined) => [...(before ?? []), value];
const collect = (value: string, before: string[] | undefined) => collectAny(check(value), before);

export const command: CommandModule = {
  takesPassed: true,
  configure(command: Command, verb: string) {
    command
      .usage("[flags] [-- agent's own flags, or one prompt]")
      .option("-p, --prompt <text>", "run one task with this prompt, then exit", once)
      .option("--prompt-file <file>", "read the prompt from a file ('-' is stdin)", once)
      .option("--accept <command>", "check the work with this when the agent wants to stop; may be repeated", collect)
      .option(
        "--rounds <n>",
        `how often a failed check goes back to the agent (default: ${USUAL_ROUNDS}; 0: never)`,
        once,
      )
      .option("--accept-keep <glob>", "with --accept: these files decide the check too; may be repeated", collectAny)
      .option("--accept-changed <glob>", "with --accept: the agent may change these files of the check", collectAny)
      .option("--accept-timeout <seconds>", "time limit for the check (default: 600)", once)
      .option("--strict-exit", "with --accept: exit with 4 or 8 when the check does not agree")
      .option("--timeout <seconds>", "end the agent after this time", once)
      .option("--max-turns <n>", "with a prompt: stop after this many model answers, in agents that can", once)
      .option("--max-budget-usd <n>", "with a prompt: stop when the cost reaches this, in agents that can", once)
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
    const { prompt, flags: own } = await readPrompt(agent, sources);
    const settings = await readLaunchSettings(home, cwd);
    const launch: Launch = {
      agent,
      binary,
      prompt,
      flags: [...limitWords(flags, agent, prompt !== undefined), ...own],
      cwd,
      env: process.env,
      version,
      unguarded,
      requireSandbox: flags["requireSandbox"] === true,
      strictExit: flags["strictExit"] === true,
      checkHint: settings.check_hint !== false,
      timeoutMs: timeLimit(flags),
      warn: say,
    };
    sayUnproven(launch, home);
    return await launchAgent({ ...launch, check: checkOrder(flags, launch, settings.accept) });
  },
};

const USUAL_ROUNDS = 3;

/** Agents end the session after eight refused stops, or go on for ever. */
const MAX_ROUNDS = 8;

type Flags = Readonly<Record<string, unknown>>;

/** The check of a launch, and how often its result goes back to the agent. That of the project counts where it can. */
function checkOrder(flags: Flags, launch: Launch, ofProject: readonly string[]): CheckOrder | undefined {
  const given = textsFlag(flags, "accept");
  const hasHooks =
    launch.unguarded !== true &&
    !runsNoTools(launch.agent, launch.flags, launch.prompt !== undefined) &&
    packOf(launch.agent.name)?.install !== undefined;
  const commands = given.length === 0 && hasHooks ? ofProject : given;
  const { acceptKeep: keep, acceptChanged: changed } = acceptPatterns(flags, commands.length > 0);
  const rounds = countFlag(flags, "rounds", MAX_ROUNDS) ?? USUAL_ROUNDS;
  const seconds = countFlag(flags, "acceptTimeout", 3000) ?? 600;
  if (seconds === 0)
    throw new UserError("0 seconds let no check pass", { where: "--accept-timeout", fix: "pass 1 or more" });
  const { runCheck } = systemProcesses(process.env);
  if (commands.length > 0) return { commands, rounds, keep, changed, timeoutMs: seconds * 1000, runCheck };
  const flag = ["rounds", "acceptTimeout", "strictExit"].find((name) => flags[name] !== undefined);
  if (flag === undefined) return undefined;
  throw new UserError("this flag needs --accept", {
    where: `--${flag.replace("T", "-t").replace("E", "-e")}`,
    fix: `signalbox ${launch.agent.name} --accept "npm test"`,
  });
}

interface LaunchSettings {
  readonly accept: readonly string[];
  readonly check_hint?: boolean | undefined;
}

/** What settings files say about launches. They are only loaded where there are any, because that takes time. */
async function readLaunchSettings(home: string, cwd: string): Promise<LaunchSettings> {
  const workspace = findWorkspace(cwd);
  if (![home, join(workspace, ".signalbox")].some((folder) => existsSync(join(folder, "settings.yaml"))))
    return { accept: [] };
  const { loadSettings } = await import("../native/settings/settings-files.ts");
  const { user, project, notes } = loadSettings(home, workspace);
  for (const note of notes) say(note);
  return { accept: [project?.accept ?? []].flat(), check_hint: project?.check_hint ?? user?.check_hint };
}

function timeLimit(flags: Flags): number | undefined {
  const seconds = countFlag(flags, "timeout", 86_400 * 7);
  if (seconds !== 0) return seconds === undefined ? undefined : seconds * 1000;
  throw new UserError("the time limit must be at least 1 second", { where: "--timeout", fix: "pass 1 or more" });
}

const LIMITS = { maxTurns: "--max-turns", maxBudgetUsd: "--max-budget-usd" } as const;

/** The agent's own flags for limits, which our hooks cannot see: they hear of calls, not of answers or of prices. */
function limitWords(flags: Flags, { name, title, limitFlags = {} }: Agent, hasPrompt: boolean): readonly string[] {
  return (["maxTurns", "maxBudgetUsd"] as const).flatMap((limit) => {
    const value = textFlag(flags, limit);
    if (value === undefined) return [];
    const [where, flag] = [LIMITS[limit], limitFlags[limit]];
    if (!(Number(value) > 0))
      throw new UserError("this is not a number above 0", { where, fix: `for example ${where} 5` });
    if (flag !== undefined && hasPrompt) return [flag, value];
    throw new UserError(
      flag === undefined
        ? `${title} has no such limit, and its hooks report neither turns nor cost`
        : `${title} keeps this limit only for a task with a prompt`,
      {
        where,
        fix: flag === undefined ? `use signalbox run ${name} with ${where}, which counts both` : "add -p TEXT",
        exitCode: EXIT.refused,
      },
    );
  });
}

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
    [`signalbox ${verb} --accept "npm test"`, "checked by us when it wants to stop"],
  ] as const;
  const width = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`).join("\n")}`;
}
