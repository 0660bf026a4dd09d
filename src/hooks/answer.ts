import { mustAnswer } from "../agents/dialect/hook-event.ts";
import { readPayload } from "../agents/dialect/read-payload.ts";
import { findDialect } from "../agents/find-dialect.ts";
import type { Dialect } from "../contract/dialect.ts";
import type { HookAnswer } from "../contract/hook-answer.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import type { Screening } from "../contract/screening.ts";
import { type AuditSegment, openSegment, type SegmentParts } from "../guard/audit/write-audit.ts";
import { guardParts } from "../guard/decide-and-record.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { findWorkspace } from "../lib/find-workspace.ts";
import { messageOf } from "../lib/message-of.ts";
import { commandScreen } from "../screen/screen-command.ts";
import { dispatch } from "./dispatch.ts";
import type { HookOutput } from "./hook-answer.ts";
import type { HookContext } from "./hook-context.ts";
import { hookStdin } from "./project/hook-stdin.ts";
import type { AnswerRequest, HookRequest } from "./server.ts";

export interface AnswererOptions extends Pick<HookContext, "settings" | "policyFor" | "alsoJudge" | "warn"> {
  readonly env: NodeJS.ProcessEnv;
  readonly screen: (text: string) => Screening;
  /** Looks whether the policy of a workspace changed, before each call. */
  readonly refresh?: (workspace: string) => Promise<void>;
  readonly anchor?: SegmentParts["anchor"];
  /** Where decisions are written, when that is not a log of its own. It stays open. */
  readonly log?: () => AuditSegment;
  /** Where hooks run when the settings name no workspace. */
  readonly hookFolder?: string;
}

type HookCall = Pick<HookRequest, "event" | "text">;

export interface HookAnswerer extends Disposable {
  readonly answer: (call: HookCall) => Promise<HookOutput>;
}

const HOOK_MILLISECONDS = 10_000;

/** Answers hook calls of one agent. The log opens with the first decision and closes with this. */
export function openAnswerer(options: AnswererOptions): HookAnswerer {
  const { settings, env, screen, refresh, policyFor, alsoJudge, warn } = options;
  const dialect = findDialect(settings.agent);
  let segment: AuditSegment | undefined;
  const open = () => (segment ??= openSegment(settings.folder, { now: realMachine.now, anchor: options.anchor }));
  const context = {
    ...guardParts(env, commandScreen(screen)),
    settings,
    policyFor,
    alsoJudge,
    warn,
    workspaceOf: findWorkspace,
    audit: options.log ?? open,
    screenText: (text: string) => orders(screen(text)),
  };
  return {
    async answer(call) {
      await refresh?.(settings.workspace ?? findWorkspace(currentFolder()));
      const run: HookContext["run"] = async (hook) => {
        // Loaded for the first hook alone: starting processes costs the bundle 5 ms.
        const { runHook } = await import("./project/run-hook.ts");
        const workspace = settings.workspace ?? options.hookFolder ?? process.cwd();
        return await runHook(hook, { stdin: hookStdin(call.text), workspace, env, milliseconds: HOOK_MILLISECONDS });
      };
      return await answerCall(call, dialect, { ...context, run });
    },
    [Symbol.dispose]: () => segment?.[Symbol.dispose](),
  };
}

/** What the screen found, when it is grave enough to mark a session. */
function orders({ risk, findings }: Screening): string | undefined {
  if (risk !== "high" && risk !== "critical") return undefined;
  return findings[0]?.because ?? "it tries to instruct the agent";
}

/** Answers one call of a hook in the agent's own words. Never throws: what cannot be read or answered is refused. */
export async function answerCall(
  { event, text }: HookCall,
  dialect: Dialect,
  context: HookContext,
): Promise<HookOutput> {
  try {
    const told = dialect.read(event, readPayload(text));
    const answer = await dispatch(told, context);
    // Where a question reaches nobody, it would be passed over.
    const asked = answer.verdict === "ask" && !dialect.asks ? unasked(answer) : unlifted(answer, context);
    const stdout = `${JSON.stringify(dialect.write(event, asked))}\n`;
    const refused = asked.verdict === "deny" || asked.block !== undefined;
    return {
      stdout,
      stderr: refused ? `${asked.because ?? asked.block ?? ""}\n` : "",
      exit: refused ? dialect.denialExit : 0,
    };
  } catch (error) {
    const because = `Blocked, because signalbox could not read this hook call: ${messageOf(error)}`;
    return unanswered(event, dialect, because);
  }
}

/** What is said when nothing can be answered: a refusal where no answer means no, else a warning. */
export function unanswered(event: HookEventName, dialect: Dialect, because: string): HookOutput {
  if (mustAnswer(event)) return refusal(event, dialect, because);
  return { stdout: "{}\n", stderr: `signalbox: ${because}\n`, exit: 0 };
}

/** Copilot takes an `allow` of a hook for more than its user's own `--deny-tool`; without one its rules hold. */
function unlifted(answer: HookAnswer, { settings }: HookContext): HookAnswer {
  if (answer.verdict !== "allow" || settings.neverAllow !== true) return answer;
  const { verdict: _, because: _because, ...rest } = answer;
  return rest;
}

function unasked(answer: HookAnswer): HookAnswer {
  const because = `${answer.because ?? "This needs the user's approval."} Blocked, because nobody can approve it here. Do not retry it in another form; tell the user.`;
  return { ...answer, verdict: "deny", because };
}

/** The agent's own refusal, and exit 2 beside it for agents that read only that. */
export function refusal(event: HookEventName, dialect: Dialect, because: string): HookOutput {
  const answer = event === "tool-before" ? { verdict: "deny" as const, because } : { block: because };
  return { stdout: `${JSON.stringify(dialect.write(event, answer))}\n`, stderr: `${because}\n`, exit: 2 };
}

interface KnownEvent {
  readonly output: Promise<HookOutput>;
  readonly vias: Set<string>;
  readonly until: number;
}

/** Two registrations tell of one event at about the same time. */
const SAME_EVENT_MILLISECONDS = 5000;

/**
 * An event that comes by two registrations is judged once, and both get the same answer. The same words by the same
 * registration are another event: agents do repeat themselves.
 */
export function deduplicateEvents(answer: AnswerRequest, now = () => performance.now()): AnswerRequest {
  const known = new Map<string, KnownEvent>();
  return (request) => {
    const key = `${request.event}\n${request.text}`;
    for (const [other, { until }] of known) if (until < now()) known.delete(other);
    const before = known.get(key);
    if (before !== undefined && !before.vias.has(request.via)) {
      before.vias.add(request.via);
      return before.output;
    }
    const output = answer(request);
    known.set(key, { output, vias: new Set([request.via]), until: now() + SAME_EVENT_MILLISECONDS });
    return output;
  };
}

const SESSION = /"session_?[iI]d": ?"([A-Za-z0-9_-]{1,100})"/;

/**
 * A staged wrapper is answered only about sessions of which the launch's own hooks have told: another agent that is
 * started inside this one has its variables, but may work elsewhere. Not answered, it asks as if there were no launch.
 */
export function knownSessionsOnly(answer: AnswerRequest): AnswerRequest {
  const known = new Set<string>();
  return async (request) => {
    const session = SESSION.exec(request.text)?.[1];
    if (request.via !== "staged") {
      if (session !== undefined) known.add(session);
    } else if (session === undefined || !known.has(session))
      throw new Error("this session does not belong to this launch");
    return await answer(request);
  };
}
