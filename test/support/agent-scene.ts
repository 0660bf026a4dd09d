import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { SessionEvent, SessionOutcome } from "../../src/contract/engine-event.ts";
import { EngineSettings } from "../../src/contract/engine-settings.ts";
import type { AssistantMessage, Message } from "../../src/contract/message.ts";
import { PRESETS } from "../../src/guard/presets/presets.ts";
import { limitsOf, type Model, type ModelRequest } from "../../src/models/model.ts";
import { nativeOpener, type NativeSession } from "../../src/native/session.ts";
import type { NativeSettings } from "../../src/native/settings/session-settings.ts";
import { call, calls, says } from "./scripted-session.ts";
import { tempFolder, tempRepository } from "./temp-folder.ts";

type Answer = AssistantMessage | ((request: ModelRequest, signal: AbortSignal) => Promise<AssistantMessage>);

/** Each agent's answers, by a word that is in its task and in no other. After the last one it says "done". */
export type Parts = Readonly<Record<string, readonly Answer[]>>;

/** An answer that starts sub-agents, by type and task. */
export const starts = (...tasks: readonly (readonly [type: string, prompt: string, more?: object])[]) =>
  calls(
    ...tasks.map(([agent_type, prompt, more = {}], index) =>
      call(`t${index}`, "task", { agent_type, prompt, description: `work on ${prompt}`, ...more }),
    ),
  );

/** A session of our engine in a repository of its own, whose model plays these parts. It keeps what it was asked. */
export function agentScene(parts: Parts, changes: Partial<NativeSettings> = {}) {
  const cwd = tempRepository();
  const home = join(tempFolder(), ".signalbox");
  const requests: ModelRequest[] = [];
  const warnings: string[] = [];
  const settings: NativeSettings = {
    version: "0",
    home,
    environment: { PATH: process.env["PATH"] },
    model: playing(parts, requests),
    effort: { level: undefined, set: () => undefined },
    settings: EngineSettings.parse({ stop_grace_ms: 200 }),
    policyFor: (workspaceRoot) => ({
      ...PRESETS.default,
      version: 1,
      sandbox: "off",
      workspaceRoot,
      home: tempFolder(),
    }),
    check: checkOf(undefined),
    limits: {},
    filters: [],
    flags: { autopilot: false, "lsp-tools": false, "disable-web-tools": false },
    hooksFor: () => ({}),
    warn: (text) => void warnings.push(text),
    ...changes,
  };
  const open = async (place: Partial<Parameters<ReturnType<typeof nativeOpener>>[0]> = {}): Promise<NativeSession> => {
    const session = await nativeOpener(settings)({ cwd, ...place });
    onTestFinished(() => session[Symbol.asyncDispose]());
    return session;
  };
  return { cwd, home, settings, requests, warnings, open, model: settings.model };
}

/** An acceptance check as settings have it. */
export const checkOf = (command: string | undefined) => ({ command, keep: [], changed: [], timeoutMs: 10_000 });

/** Runs what is pending to its end. */
export async function play(
  { conversation }: NativeSession,
  signal = new AbortController().signal,
): Promise<{ readonly events: readonly SessionEvent[]; readonly outcome: SessionOutcome }> {
  const events: SessionEvent[] = [];
  const run = conversation.run(signal);
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done === true) return { events, outcome: next.value };
    events.push(next.value);
  }
}

/** What an agent was first asked. */
export const taskOf = ({ history }: ModelRequest) => textOf(history[0]);

/** Everything that an agent was told beside its task: results and messages. */
export const toldIn = ({ history }: ModelRequest) => history.slice(1).map(textOf).join("\n").trim();

const textOf = (message: Message | undefined) =>
  message?.role === "user"
    ? message.text
    : message?.role === "tool"
      ? message.results.map(({ text }) => text).join("\n")
      : "";

function playing(parts: Parts, requests: ModelRequest[]): Model {
  return {
    name: "playing/model",
    limits: limitsOf(undefined),
    async learnLimits() {},
    cost: () => undefined,
    async *ask(request, signal) {
      signal.throwIfAborted();
      requests.push({ ...request, history: [...request.history] });
      const [, answers = []] = Object.entries(parts).find(([word]) => taskOf(request).includes(word)) ?? [];
      const line = answers[request.history.filter(({ role }) => role === "assistant").length] ?? says("done");
      const message = typeof line === "function" ? await line(request, signal) : line;
      signal.throwIfAborted();
      yield { type: "answer", message, usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 } };
    },
  };
}

/** Never answers, until it is interrupted. */
export const hangs = (_: ModelRequest, signal: AbortSignal) =>
  new Promise<AssistantMessage>((_, reject) => {
    const stop = () => reject(new Error("interrupted"));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });

export function neverAsked(): never {
  throw new Error("the model was not asked");
}
