import { readFileSync, writeSync } from "node:fs";
import { readStdin } from "../lib/process/standard-streams.ts";
import { screen } from "../guard/screen/screen.ts";
import { commandScreen } from "../guard/screen/screen-command.ts";
import { guardParts } from "../guard/decide-and-record.ts";
import { findWorkspace } from "../lib/path/workspace.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { openAnswerer } from "./answer.ts";
import { answerHook, hookInput } from "./answer-xpia.ts";
import { isHookEvent } from "../agents/pack/hook-event.ts";
import { compiledPolicy, parseHookSettings } from "./hook-context.ts";
import { sealedAnswer, STAGED_SEAL } from "./server-protocol.ts";
import { answerStaged } from "./staged-call.ts";

/**
 * The small bundle, which has three modes. `hook.cjs [JSON]` is the historical hook. A launch's wrapper calls
 * `hook.cjs --settings FILE EVENT` when no server answers. A staged wrapper calls `hook.cjs --staged AGENT EVENT [HOOK…]`.
 * The last two seal their answers, and no answer means a refusal.
 */
async function main([first, file = "", event = "", ...rest]: readonly string[]): Promise<void> {
  if (first === "--staged") return await answerForStaged(file, event, rest);
  if (first !== "--settings") return print(JSON.stringify(answerHistorical()));
  if (!isHookEvent(event)) throw new Error("unknown event");
  const settings = parseHookSettings(readFileSync(file, "utf8"));
  using answerer = openAnswerer({
    settings,
    env: process.env,
    policyFor: (workspaceRoot) => compiledPolicy(settings.folder, workspaceRoot),
    screen,
    // The agent only sees the wrapper's own text.
    warn: () => {},
  });
  const output = await answerer.answer({ event, text: readStdin().toString("utf8") });
  return print(sealedAnswer(output, settings.seal).trimEnd());
}

async function answerForStaged(agent: string, event: string, remembered: readonly string[]): Promise<void> {
  if (!isHookEvent(event)) throw new Error("unknown event");
  const output = await answerStaged({ agent, event, remembered, text: readStdin().toString("utf8") }, process.env);
  print(sealedAnswer(output, STAGED_SEAL).trimEnd());
}

function answerHistorical() {
  return answerHook(readInput(), {
    folder: () => signalboxHome(),
    workspaceOf: findWorkspace,
    policyFor: (workspaceRoot) => compiledPolicy(signalboxHome(), workspaceRoot),
    ...guardParts(process.env, commandScreen(screen)),
  });
}

// Opening the stdout stream would cost 3 ms.
const print = (text: string) => void writeSync(1, `${text}\n`);

/** Unreadable input is not a valid call, so it is denied. */
function readInput(): string {
  try {
    return hookInput(process.argv.slice(2));
  } catch {
    return "";
  }
}

void main(process.argv.slice(2));
