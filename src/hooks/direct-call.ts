import { findDialect, findHooksOf } from "../agents/find-dialect.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import { currentFolder, findWorkspace } from "../lib/path/workspace.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { unanswered } from "./answer.ts";
import type { HookOutput } from "./server-protocol.ts";
import { openLaunchAnswerer } from "./launch-answerer.ts";
import { ancestorHooks } from "./project/ancestor-hooks.ts";
import { findHooks, registerHooks } from "./project/find-hooks.ts";

/** One event of an agent whose hooks the user has connected to `signalbox hook` by hand. */
export interface DirectCall {
  readonly agent: string;
  readonly event: HookEventName;
  readonly text: () => string;
}

/** Answers such a call under the rules of the current folder. Fails closed. */
export async function answerDirect(
  { agent, event, text }: DirectCall,
  env: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): Promise<HookOutput> {
  try {
    const folder = signalboxHome();
    const places = { workspace: findWorkspace(currentFolder()), folder };
    const hooks = registerHooks([...findHooks(places), ...ancestorHooks(places, env)], warn);
    const neverAllow = hooks.length > 0 && findHooksOf(agent)?.deniesTools?.(process.ppid) === true;
    const fixed = { interactive: true, closed: [], switches: [], deniedTools: [], neverAllow, seal: "" };
    using answerer = openLaunchAnswerer({ agent, folder, hooks, ...fixed }, { env, warn });
    return await answerer.answer({ event, via: "direct", text: text() });
  } catch (error) {
    return unanswered(event, findDialect(agent), `signalbox failed to answer: ${messageOf(error)}`);
  }
}
