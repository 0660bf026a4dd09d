import { messageOf } from "../lib/message-of.ts";
import { readStdin } from "../lib/read-stdin.ts";
import { resolveAgent } from "../agents/resolve.ts";
import { findWorkspace } from "../lib/find-workspace.ts";
import { unanswered } from "../hooks/answer-call.ts";
import { DIALECTS } from "../hooks/dialects/dialect.ts";
import { findDialect } from "../hooks/dialects/find-dialect.ts";
import type { HookOutput } from "../hooks/hook-answer.ts";
import { HOOK_EVENTS, type HookEventName, isHookEvent } from "../hooks/hook-event.ts";
import { ancestorHooks } from "../hooks/project/ancestor-hooks.ts";
import { findHooks, registerHooks } from "../hooks/project/find-hooks.ts";
import { copilotDenies } from "../hooks/copilot-denies.ts";
import { openServerAnswerer } from "../hooks/server-answerer.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { say } from "../lib/say.ts";
import { UserError } from "../lib/user-error.ts";
import { textFlag } from "./flags.ts";
import type { CommandModule } from "./command-module.ts";

/** The entry for agents that people wire themselves: one event on standard input, the agent's own answer on standard output. */
export const command: CommandModule = {
  firstWords: () => HOOK_EVENTS,

  configure(hook) {
    hook
      .argument("<event>", `one of: ${HOOK_EVENTS.join(", ")}`)
      .option("--agent <name>", `whose words to use: ${DIALECTS.join(", ")}; default: the active agent`)
      .addHelpText("after", EXAMPLE);
  },
  async run({ words, flags }) {
    const event = readEvent(words[0] ?? "");
    const dialect = readDialect(textFlag(flags, "agent"));
    const output = await answer(event, dialect.name);
    process.stdout.write(output.stdout);
    process.stderr.write(output.stderr);
    return output.exit;
  },
};

async function answer(event: HookEventName, agent: string): Promise<HookOutput> {
  try {
    const folder = signalboxHome();
    const workspace = findWorkspace(currentFolder());
    const places = { workspace, folder };
    const hooks = registerHooks([...findHooks(places), ...ancestorHooks(places, process.env)], say);
    const neverAllow = agent === "copilot" && hooks.length > 0 && copilotDenies(process.ppid);
    const fixed = { interactive: true, closed: [], switches: [], deniedTools: [], neverAllow, seal: "" };
    const settings = { agent, folder, hooks, ...fixed };
    using answerer = openServerAnswerer(settings, { env: process.env, warn: say });
    return await answerer.answer({ event, text: readStdin().toString("utf8") });
  } catch (error) {
    return unanswered(event, findDialect(agent), `signalbox could not answer: ${messageOf(error)}`);
  }
}

function readEvent(name: string): HookEventName {
  if (isHookEvent(name)) return name;
  throw new UserError(`there is no event ${JSON.stringify(name)}`, {
    where: "signalbox hook",
    fix: `say one of: ${HOOK_EVENTS.join(", ")}`,
  });
}

/** The active agent's words, unless others are asked for. */
function readDialect(name: string | undefined) {
  const wanted = name ?? resolveAgent(currentFolder(), process.env).agent;
  if (DIALECTS.some((known) => known === wanted)) return findDialect(wanted);
  throw new UserError(`signalbox does not know how ${JSON.stringify(wanted)} speaks about hooks`, {
    where: "--agent",
    fix: `say one of: ${DIALECTS.join(", ")}; plain is for agents that signalbox does not know`,
  });
}

const EXAMPLE = `
A denial is printed in the agent's own shape. What cannot be read or answered is refused with exit code 2 before a tool
and at a stop; at other moments it is only said.

Example:
  echo '{"tool_name":"Bash","tool_input":{"command":"sudo ls"},"cwd":"'"$PWD"'"}' | signalbox hook tool-before --agent plain`;
