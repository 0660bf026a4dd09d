import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEvent } from "../../src/contract/engine-event.ts";
import { EngineSettings, type WorkMode } from "../../src/contract/engine-settings.ts";
import type { AssistantMessage } from "../../src/contract/message.ts";
import type { EngineHooks } from "../../src/native/engine/hooks.ts";
import { runTask } from "../../src/native/terminal/one-task.ts";
import { agentScene, checkOf } from "./agent-scene.ts";
import { call, calls, says } from "./scripted-session.ts";

/** What a model does with a task, one answer after another, then it says the last one again and again. */
export interface Script {
  readonly task: string;
  readonly answers: readonly AssistantMessage[];
  readonly accept?: string;
  readonly mode?: WorkMode;
  readonly hooks?: EngineHooks;
}

/** As many as are needed to see that a gate gives up. */
const FEW_BLOCKS = EngineSettings.parse({ gate_blocks: 2, stop_grace_ms: 200 });

export const bash = (command: string) => calls(call("c", "bash", { command }));
export const write = (path: string, content: string) => calls(call("c", "write", { path, content }));
export const read = (path: string) => calls(call("c", "read", { path }));
export const todo = (...items: readonly object[]) => calls(call("c", "todo", { items }));
export const done = (summary: string) => calls(call("c", "task_complete", { summary }));
export const CHECK = "grep -q fixed a.txt";

/** Plays a script in a repository with one file, as `signalbox native -p` would. Nobody can be asked. */
export async function played({ task, answers, accept, mode, hooks = {} }: Script) {
  const last = answers.at(-1) ?? says("");
  const again = Array.from({ length: 30 }, () => last);
  const { cwd, open } = agentScene(
    { "": [...answers, ...again] },
    { ...(accept === undefined ? {} : { check: checkOf(accept) }), mode, settings: FEW_BLOCKS, hooksFor: () => hooks },
  );
  writeFileSync(join(cwd, "a.txt"), "broken\n");
  execFileSync("git", ["-C", cwd, "add", "."]);
  const session = await open({ prompt: task });
  const events: SessionEvent[] = [];
  const said: string[] = [];
  const view = {
    out: async (text: string) => void said.push(text),
    say: (text: string) => void said.push(text),
    json: false,
    onEvent: (event: SessionEvent) => void events.push(event),
  };
  const code = await runTask(session.conversation, view, AbortSignal.timeout(60_000));
  const blocked = events.flatMap((event) => (event.type === "gate-blocked" ? [event.gate] : []));
  return { code, blocked: [...new Set(blocked)], last: said.at(-1) ?? "" };
}
