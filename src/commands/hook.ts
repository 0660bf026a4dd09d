import { HOOK_EVENTS, isHookEvent } from "../agents/pack/hook-event.ts";
import { DIALECTS, findDialect } from "../agents/find-dialect.ts";
import { resolveAgent } from "../agents/active-agent.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import { answerDirect } from "../hooks/direct-call.ts";
import { currentFolder } from "../lib/path/workspace.ts";
import { readStdin, say } from "../lib/process/standard-streams.ts";
import { UserError } from "../lib/text/user-error.ts";
import type { CommandModule } from "./command-module.ts";
import { textFlag } from "./flags.ts";

/**
 * The entry point for manually configured agents: one event on standard input, an answer in the agent's dialect on
 * standard output.
 */
export const command: CommandModule = {
  firstWords: () => HOOK_EVENTS,

  configure(hook) {
    hook
      .argument("<event>", `one of: ${HOOK_EVENTS.join(", ")}`)
      .option("--agent <name>", `whose format to use: ${DIALECTS.join(", ")}; default: the active agent`)
      .addHelpText("after", EXAMPLE);
  },
  async run({ words, flags }) {
    const event = readEvent(words[0] ?? "");
    const dialect = readDialect(textFlag(flags, "agent"));
    const call = { agent: dialect.name, event, text: () => readStdin().toString("utf8") };
    const output = await answerDirect(call, process.env, say);
    process.stdout.write(output.stdout);
    process.stderr.write(output.stderr);
    return output.exit;
  },
};

function readEvent(name: string): HookEventName {
  if (isHookEvent(name)) return name;
  throw new UserError(`unknown event ${JSON.stringify(name)}`, {
    where: "signalbox hook",
    fix: `use one of: ${HOOK_EVENTS.join(", ")}`,
  });
}

/** The active agent's dialect, unless another is requested. */
function readDialect(name: string | undefined) {
  const wanted = name ?? resolveAgent(currentFolder(), process.env).agent;
  if (DIALECTS.some((known) => known === wanted)) return findDialect(wanted);
  throw new UserError(`unknown hook format ${JSON.stringify(wanted)}`, {
    where: "--agent",
    fix: `use one of: ${DIALECTS.join(", ")}; use plain for agents that signalbox does not know`,
  });
}

const EXAMPLE = `
A denial is printed in the agent's own format. Input that cannot be parsed or answered is refused with exit code 2 before a
tool call and at a stop; for other events it is only reported.

Example:
  echo '{"tool_name":"Bash","tool_input":{"command":"sudo ls"},"cwd":"'"$PWD"'"}' | signalbox hook tool-before --agent plain`;
