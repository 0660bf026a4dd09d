import { mustAnswer, readPayload } from "../agents/pack/hook-event.ts";
import { findDialect } from "../agents/find-dialect.ts";
import type { Dialect, HookAnswer, HookEventName } from "../contract/hook-event.ts";
import type { Screening } from "../contract/screening.ts";
import { type AuditSegment, openSegment } from "../guard/audit/write-audit.ts";
import { guardParts } from "../guard/decide-and-record.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { currentFolder, findWorkspace } from "../lib/path/workspace.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { commandScreen } from "../guard/screen/screen-command.ts";
import { dispatch } from "./dispatch.ts";
import type { HookOutput } from "./server-protocol.ts";
import type { HookContext } from "./hook-context.ts";
import { hookStdin } from "./project/hook-io.ts";
import type { HookRequest } from "./server.ts";

export interface AnswererOptions extends Pick<
  HookContext,
  | "settings"
  | "policyFor"
  | "alsoJudge"
  | "answered"
  | "ownRules"
  | "session"
  | "talked"
  | "watch"
  | "questions"
  | "warn"
> {
  readonly env: NodeJS.ProcessEnv;
  readonly screen: (text: string) => Screening;
  /** Reloads the policy of a workspace if it has changed. Called before each call. */
  readonly refresh?: (workspace: string) => Promise<void>;
  /** The log to record decisions in, instead of its own. It stays open. */
  readonly log?: () => AuditSegment;
  /** The folder in which hooks run when the settings name no workspace. */
  readonly hookFolder?: string;
}

type HookCall = Pick<HookRequest, "event" | "text">;

export interface HookAnswerer extends Disposable {
  readonly answer: (call: HookCall) => Promise<HookOutput>;
}

const HOOK_MILLISECONDS = 10_000;

/** Answers one agent's hook calls. The log is opened at the first decision and closed on dispose. */
export function openAnswerer(options: AnswererOptions): HookAnswerer {
  const { settings, env, screen, refresh, policyFor, alsoJudge, answered } = options;
  const { ownRules, session, talked, watch, questions, warn } = options;
  const dialect = findDialect(settings.agent);
  let segment: AuditSegment | undefined;
  const open = () => (segment ??= openSegment(settings.folder, { now: realMachine.now }));
  const context = {
    ...guardParts(env, commandScreen(screen)),
    settings,
    policyFor,
    alsoJudge,
    answered,
    ownRules,
    session,
    talked,
    watch,
    questions,
    warn,
    workspaceOf: findWorkspace,
    audit: options.log ?? open,
    screenText: (text: string) => orders(screen(text)),
  };
  return {
    async answer(call) {
      await refresh?.(settings.workspace ?? findWorkspace(currentFolder()));
      const run: HookContext["run"] = async (hook) => {
        // Loaded only for the first hook: the module for starting processes costs the bundle 5 ms.
        const { runHook } = await import("./project/run-hook.ts");
        const workspace = settings.workspace ?? options.hookFolder ?? process.cwd();
        return await runHook(hook, { stdin: hookStdin(call.text), workspace, env, milliseconds: HOOK_MILLISECONDS });
      };
      return await answerCall(call, dialect, { ...context, run });
    },
    [Symbol.dispose]: () => segment?.[Symbol.dispose](),
  };
}

/** The screen's first finding, if the risk is high enough to taint a session. */
function orders({ risk, findings }: Screening): string | undefined {
  if (risk !== "high" && risk !== "critical") return undefined;
  return findings[0]?.because ?? "it tries to instruct the agent";
}

/** Answers one hook call in the agent's dialect. Never throws: a call that cannot be read or answered is refused. */
export async function answerCall(
  { event, text }: HookCall,
  dialect: Dialect,
  context: HookContext,
): Promise<HookOutput> {
  try {
    const input = dialect.read(event, readPayload(text));
    const answer = await dispatch(input, context);
    // An agent whose hooks cannot ask would ignore the question.
    const final = answer.verdict === "ask" && !dialect.asks ? unasked(answer) : unlifted(answer, context);
    const stdout = `${JSON.stringify(dialect.write(event, final))}\n`;
    const refused = final.verdict === "deny" || final.block !== undefined;
    return {
      stdout,
      stderr: refused ? `${final.because ?? final.block ?? ""}\n` : "",
      exit: refused ? dialect.denialExit : 0,
    };
  } catch (error) {
    const because = `Blocked, because signalbox could not read this hook call: ${messageOf(error)}`;
    return unanswered(event, dialect, because);
  }
}

/** The output when there is no answer: a refusal if the event requires an answer, otherwise a warning. */
export function unanswered(event: HookEventName, dialect: Dialect, because: string): HookOutput {
  if (mustAnswer(event)) return refusal(event, dialect, because);
  return { stdout: "{}\n", stderr: `signalbox: ${because}\n`, exit: 0 };
}

/**
 * Drops an `allow`, because in Copilot a hook's `allow` overrides the user's own `--deny-tool`. Not for a contained call:
 * those rules were held before.
 */
function unlifted(answer: HookAnswer, { settings }: HookContext): HookAnswer {
  if (answer.verdict !== "allow" || settings.neverAllow !== true || answer.contained === true) return answer;
  const { verdict: _, because: _because, ...rest } = answer;
  return rest;
}

function unasked(answer: HookAnswer): HookAnswer {
  const because = `${answer.because ?? "This needs the user's approval."} Blocked, because nobody can approve it here. Do not retry it in another form; tell the user.`;
  return { ...answer, verdict: "deny", because };
}

/** A refusal in the agent's dialect, with exit code 2 for agents that only look at that. */
export function refusal(event: HookEventName, dialect: Dialect, because: string): HookOutput {
  const answer = event === "tool-before" ? { verdict: "deny" as const, because } : { block: because };
  return { stdout: `${JSON.stringify(dialect.write(event, answer))}\n`, stderr: `${because}\n`, exit: 2 };
}
