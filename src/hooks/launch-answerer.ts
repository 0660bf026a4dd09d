import { setImmediate } from "node:timers/promises";
import { findDialect } from "../agents/find-dialect.ts";
import { readPayload } from "../agents/pack/hook-event.ts";
import type { Dialect } from "../contract/hook-event.ts";
import { appendAnchor } from "../guard/audit/anchor.ts";
import { auditHead, type AuditSegment, openSegment } from "../guard/audit/write-audit.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { screen } from "../guard/screen/screen.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { type AnswererOptions, type HookAnswerer, openAnswerer, refusal } from "./answer.ts";
import type { HookSettings } from "./hook-context.ts";
import { livePolicy } from "./live-policy.ts";
import { missingHooks } from "./project/registration.ts";
import { deduplicateEvents, eventKey } from "./repeated-events.ts";
import type { HookOutput } from "./server-protocol.ts";
import { type AnswerRequest, type HookRequest, isStaged, type RequestAnswerer } from "./server.ts";

/** By then the agent has started, and nothing is waiting for us. */
const WARM_AFTER_MS = 400;

/** Answers calls for a launch's server. Like the bundle, but it reloads changed policies and anchors its log. */
export function openLaunchAnswerer(
  settings: HookSettings,
  options: Pick<
    AnswererOptions,
    "env" | "warn" | "alsoJudge" | "answered" | "ownRules" | "session" | "talked" | "watch"
  >,
): RequestAnswerer {
  const { env, warn, alsoJudge, answered, ownRules, session, talked, watch } = options;
  const common = { ...livePolicy(settings.folder), env, warn, screen, ownRules, session };
  const dialect = findDialect(settings.agent);
  const questions = dialect.askDropsInput && settings.interactive ? openLaterQuestions(dialect) : undefined;
  let segment: AuditSegment | undefined;
  const log = () => (segment ??= openSegment(settings.folder, { now: realMachine.now, anchor: appendAnchor }));
  const answerer = openAnswerer({
    ...common,
    alsoJudge,
    answered: (call, answer) => answered?.(call, { ...answer, logged: segment && auditHead(segment) }),
    talked,
    watch,
    settings,
    questions,
    log,
  });
  const answer = deduplicateEvents(answerer.answer);
  const ending = new AbortController();
  const warming = setTimeout(() => {
    const alone = openAnswerer({ ...common, settings: { ...settings, hooks: [] }, log: () => noLog });
    // The first real call will report the problem.
    warmUp(alone, ending.signal).catch(() => {});
  }, WARM_AFTER_MS);
  warming.unref();
  return {
    answer: knownSessionsOnly(async (request) => {
      if (request.via === SECOND && questions !== undefined) return questions.answer(request);
      const { event, remembered = [] } = request;
      const places = { workspace: settings.workspace ?? "", folder: settings.folder };
      // The launch does not know a hook that was already gone when it started. Without an answer, the wrapper denies.
      if (remembered.length > 0 && missingHooks(remembered, places, { env, event }).length > 0)
        throw new Error("a staged hook is missing");
      return await answer(request);
    }),
    [Symbol.dispose]() {
      clearTimeout(warming);
      ending.abort();
      answerer[Symbol.dispose]();
      segment?.[Symbol.dispose]();
    },
  };
}

const SESSION = /"session_?[iI]d": ?"([A-Za-z0-9_-]{1,100})"/;

/** Events that an agent may report to a staged wrapper before it reports anything to the launch. */
const MAX_EARLY = 20;

/**
 * Answers a staged wrapper only for sessions that the launch's own hooks have reported. Another agent started inside this
 * one inherits its variables, but may work elsewhere. Without an answer, its wrapper proceeds as if there were no launch;
 * if the launch's own hooks then report the same event, its hooks have run already.
 */
export function knownSessionsOnly(answer: AnswerRequest): AnswerRequest {
  const known = new Set<string>();
  const early: string[] = [];
  return async (request) => {
    const session = SESSION.exec(request.text)?.[1];
    if (isStaged(request.via)) {
      if (session !== undefined && !known.has(session) && known.has(parentOf(request.text) ?? "")) known.add(session);
      if (session === undefined || !known.has(session)) {
        const key = request.event === "tool-before" ? undefined : eventKey(request);
        if (key !== undefined) early.splice(0, Math.max(0, early.push(key) - MAX_EARLY));
        throw new Error("this session does not belong to this launch");
      }
      return await answer(request);
    }
    if (session !== undefined) known.add(session);
    const index = early.length === 0 ? -1 : early.indexOf(eventKey(request) ?? "");
    if (index === -1) return await answer(request);
    early.splice(index, 1);
    return { stdout: "{}\n", stderr: "", exit: 0 };
  };
}

/** The session of the agent that started this sub-agent, where the agent reports it. */
function parentOf(text: string): string | undefined {
  try {
    const payload = readPayload(text);
    const parent = payload["parentAgentId"] ?? payload["parent_agent_id"];
    return typeof parent === "string" ? parent : undefined;
  } catch {
    return undefined;
  }
}

/** What the wrapper of an agent's second hook is called with, after the event. */
const SECOND = "second";

/**
 * Questions for an agent that drops changed arguments when a hook asks: its first hook changes the command, and its
 * second one, which sees the changed command, asks.
 */
export interface LaterQuestions {
  /** Throws when too many are waiting; the call must then be denied. */
  hold(command: string, because: string): void;
  /** The answer of the second hook: the question, or no opinion. */
  answer(request: HookRequest): HookOutput;
}

/** The second hook follows at once. */
const WAITING_MS = 60_000;

const MAX_WAITING = 200;

export function openLaterQuestions(dialect: Dialect, now = () => performance.now()): LaterQuestions {
  let waiting: { readonly command: string; readonly because: string; readonly until: number }[] = [];
  return {
    hold(command, because) {
      waiting = waiting.filter(({ until }) => until > now());
      if (waiting.length >= MAX_WAITING) throw new Error("too many questions are waiting");
      waiting.push({ command, because, until: now() + WAITING_MS });
    },
    answer({ event, text }) {
      if (event !== "tool-before") return { stdout: "{}\n", stderr: "", exit: 0 };
      try {
        const call = dialect.read(event, readPayload(text));
        const command = call.type === "tool-before" && isRecord(call.input) ? call.input["command"] : undefined;
        const index = waiting.findIndex((one) => one.command === command);
        const [question] = index === -1 ? [] : waiting.splice(index, 1);
        const answer = question === undefined ? {} : ({ verdict: "ask", because: question.because } as const);
        return { stdout: `${JSON.stringify(dialect.write(event, answer))}\n`, stderr: "", exit: 0 };
      } catch (error) {
        return refusal(event, dialect, `Blocked, because signalbox could not read this hook call: ${messageOf(error)}`);
      }
    },
  };
}

const ROUNDS = 40;

const CALL = {
  cwd: "/",
  session_id: "warm-up",
  tool_name: "Bash",
  tool_input: { command: "echo ready" },
  tool_response: { stdout: "ready" },
};

const TEXT = JSON.stringify({
  ...CALL,
  sessionId: CALL.session_id,
  toolName: CALL.tool_name,
  toolArgs: CALL.tool_input,
  toolResult: CALL.tool_response,
});

/**
 * Answers artificial calls while the agent is still starting, because code that has run a few dozen times is faster.
 * Real calls can interleave. Stops when the launch ends.
 */
export async function warmUp({ answer }: { answer: HookAnswerer["answer"] }, signal: AbortSignal): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await setImmediate();
    if (signal.aborted) return;
    await answer({ event: "tool-before", text: TEXT });
    await answer({ event: "tool-after", text: TEXT });
  }
}

/** The log of a warm-up, which records nothing because nothing really happened. */
export const noLog: AuditSegment = {
  name: "",
  file: "",
  append: () => {},
  head: () => ({ hash: "", count: 0 }),
  [Symbol.dispose]: () => {},
};
