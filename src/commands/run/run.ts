import type { Command } from "commander";
import { readyForRuns } from "../../receipts/run/recover-runs.ts";
import { type RunLimits, type RunSetup, USUAL_LIMITS } from "../../receipts/run/run-setup.ts";
import { runWorkOrder } from "../../receipts/run/run-work-order.ts";
import { HOST_NAMES } from "../../hosts/named-host.ts";
import { sandboxRequirement, uncontained } from "../../hosts/program/program.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { resolve } from "node:path";
import { currentFolder } from "../../lib/path/workspace.ts";
import { ENDING_SIGNALS } from "../../lib/process/at-exit.ts";
import { refuseDeepSession } from "../../lib/process/inside-session.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { timerLine } from "../../lib/process/timer-line.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { sessionPolicy } from "../active-policy.ts";
import { endLeftCommands } from "../../sandbox/run/left-commands.ts";
import { chooseHost } from "./host.ts";
import { AUTO_ROUNDS, orderOf, readTask, ROUNDS_HELP, roundsFlag, seconds, withAutoRounds } from "./order.ts";
import { runSetting } from "./setting.ts";
import { runShower } from "./show-run.ts";
import { type ReaderGone, watchReader } from "../reader-gone.ts";
import { acceptPatterns, check, collect, type Flags, once, textsFlag } from "../flags.ts";
import { screenedMachine } from "../screened-machine.ts";
import type { CommandModule } from "../command-module.ts";

const collectChecked = (value: string, before: string[] | undefined) => collect(check(value), before);

export const command: CommandModule = {
  firstWords: () => [...HOST_NAMES, "native"],

  configure(command: Command, verb: string) {
    command
      .usage("[agent] [flags] TASK")
      .argument("[words...]", "an agent (default: the active one) and the task ('-' is stdin)")
      .option("--acp <command>", "give the task to an agent that speaks ACP: --acp 'gemini --acp'")
      .option("--sidecar <command>", "give the task to a program that speaks the backplane's protocol")
      .option("--backend <name>", "the agent by the name other tools use: sidecar:copilot")
      .option("--agent <name>", "the agent, as a flag")
      .option("--task <text>", "the task, as a flag ('-' is stdin)")
      .option("--prompt-file <file>", "read the task from a file ('-' is stdin)", once)
      .option("--order <file>", "a complete work order as JSON ('-' is stdin)")
      .option("--accept <command>", "must succeed on the final tree; may be repeated", collectChecked)
      .option("--rounds <n>", `${ROUNDS_HELP} (default: ${verb === "auto" ? AUTO_ROUNDS : "1"})`, once)
      .option("--accept-keep <glob>", "with --accept: these files decide the check too; may be repeated", collect)
      .option("--accept-changed <glob>", "with --accept: the task may change these files of the check", collect)
      .option("--staged", "work on a copy; 'signalbox apply' applies the result")
      .option("--workspace-mode <mode>", "staged or pass-through (the long form of --staged)")
      .option("--root <dir>", "the workspace")
      .option("--include <glob>", "with --staged: only these files", collect)
      .option("--exclude <glob>", "with --staged: not these files", collect)
      .option("--context <file>", "a file to give to the agent", collect)
      .option("--allow-tool <name>", "the agent may use only these tools", collect)
      .option("--deny-tool <name>", "the agent may not use this tool", collect)
      .option("--approve-tool <name>", "a tool that needs approval each time; blocked if nobody can approve", collect)
      .option("--deny-read <glob>", "files that may not be read", collect)
      .option("--deny-write <glob>", "files that may not be written", collect)
      .option("--allow-host <host>", "only these hosts may be reached", collect)
      .option("--deny-host <host>", "hosts that may not be reached", collect)
      .option("--model <name>", "the model")
      .option("--effort <level>", "with native: how much the model thinks (low, medium, high or max)", once)
      .option("--autopilot", "with native: work on until it says that the task is complete")
      .option("--max-turns <n>", "stop after this many model answers")
      .option("--max-budget-usd <n>", "stop when the cost reaches this")
      .option("--timeout <seconds>", "stop after this time")
      .option("--idle <seconds>", "stop after this long without output")
      .option("--param <name=value>", "a setting of the agent, or abp.mode=passthrough", collect)
      .option("--env <name=value>", "an environment variable for the run", collect)
      .option("--policy <file>", "use this policy instead of the active one")
      .option("--preset <name>", "default, read-only, ci or none, when no file names one")
      .option("--require-sandbox", "refuse to start where commands cannot run in a sandbox")
      .option("--unguarded", "start the agent without the guard; the receipt records it")
      .option("--json", "print only events, one JSON line each")
      .addHelpText("after", `${CODES}${verb === "auto" ? AUTO_EXAMPLES : EXAMPLES}`);
  },

  async run({ verb, words, flags: given }) {
    refuseDeepSession(process.env, say);
    const flags = verb === "auto" ? withAutoRounds(given) : given;
    const rounds = roundsFlag(flags);
    const host = await chooseHost(words, flags);
    if (host.name !== "native") refuseNativeFlags(flags, host.name);
    const order = orderOf(await readTask(host.task, flags), flags, host.name);
    const limits = limitsOf(order, flags);
    const cwd = currentFolder();
    const policy = sessionPolicy(flags, resolve(cwd, order.workspace.root));
    const required = flags["requireSandbox"] === true ? "--require-sandbox" : sandboxRequirement(policy);
    if (host.uncontainable !== undefined && required !== undefined)
      throw uncontained(host.name, host.uncontainable, required);
    const setting = runSetting(process.env);
    await endLeftCommands(setting.home, say);
    for (const run of await readyForRuns(setting))
      say(`run ${run.header.run_id} was interrupted; its receipt is stored`);
    const interrupt = new AbortController();
    const onSignal = () => interrupt.abort();
    for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
    // When the reader goes away, end the run cleanly with a receipt. Exiting at once would leave the agent running.
    const unread = watchReader(process.stdout, (because) => {
      say(because);
      interrupt.abort();
    });
    using waiting = timerLine(`waiting for ${host.name}`);
    using checking = timerLine("running the check");
    const { show, showCheck } = runShower(flags["json"] === true, waiting, checking);
    const setup: RunSetup = {
      ...setting,
      processes: { ...setting.processes, runCheck: showCheck(setting.processes.runCheck) },
      agent: host.name,
      openHost: host.openHost,
      cwd,
      policy,
      world: screenedMachine,
      accept: textsFlag(flags, "accept"),
      rounds,
      containChecks: flags["unguarded"] !== true,
      ...acceptPatterns(flags, textsFlag(flags, "accept").length > 0),
      limits,
      signal: interrupt.signal,
    };
    let exitCode: number = EXIT.failed;
    for await (const step of runWorkOrder(order, setup)) {
      if (step.type === "event") follow(step.event, unread);
      await show(step);
      if (step.type === "run-end") exitCode = step.exitCode;
    }
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    return exitCode;
  },
};

function refuseNativeFlags(flags: Flags, name: string): void {
  const flag = ["effort", "autopilot"].find((each) => flags[each] !== undefined);
  if (flag === undefined) return;
  throw new UserError(`--${flag} is for native, and this run uses ${name}`, {
    where: `--${flag}`,
    fix: flag === "effort" ? "omit it, and set the effort in the agent's own settings" : "omit it",
  });
}

/** Not every agent reports the end of its calls; when it speaks again, they have ended. */
function follow(event: AgentEvent, unread: ReaderGone): void {
  if (event.type === "tool_call") unread.begun(event.tool_use_id ?? event.tool_name);
  else if (event.type === "tool_result") unread.ended(event.tool_use_id ?? event.tool_name);
  else if (event.type === "assistant_message" || event.type === "assistant_delta") unread.allEnded();
}

function limitsOf({ config }: WorkOrder, flags: Flags): RunLimits {
  const [timeout, idle] = [seconds(flags, "timeout"), seconds(flags, "idle")];
  return {
    ...USUAL_LIMITS,
    maxTurns: config.max_turns,
    maxBudgetUsd: config.max_budget_usd,
    ...(timeout === null ? {} : { wallMs: timeout * 1000 }),
    ...(idle === null ? {} : { idleMs: idle * 1000 }),
  };
}

const CODES = `
Exit codes:
  0 done, and accepted if a check was given   1 failed
  2 wrong usage, or unknown host   3 a required call was denied
  4 claimed done, but not accepted   5 a limit was reached   6 no progress
  7 the agent crashed or broke the protocol
  8 accepted by a changed check (see --accept-changed)   9 with native: a gate never let it stop
  127 the agent is not installed   130 interrupted
`;

const AUTO_EXAMPLES = `
Examples:
  signalbox auto --agent codex --task "fix the failing test" --accept "npm test"
  signalbox auto --agent claude --task "rename the module" --staged
  signalbox auto --agent claude --prompt-file task.md`;

const EXAMPLES = `
Examples:
  signalbox run codex "fix the failing test" --accept "npm test"
  signalbox run codex "cover the parser" --accept "npm test" --accept-changed 'test/parser/**'
  signalbox run codex "fix the failing test" --accept "npm test" --rounds 3
  signalbox run --sidecar "node host.js" "the task" --json
  signalbox run claude "rename the module" --staged
  signalbox run claude --prompt-file task.md
  signalbox run --acp "gemini --acp" "the task" --json --param abp.mode=passthrough
  git diff | signalbox run codex`;
