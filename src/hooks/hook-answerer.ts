import { openSegment, type AuditSegment, type SegmentParts } from "../guard/audit/write-audit.ts";
import { commandScreen } from "../screen/screen-command.ts";
import { guardParts } from "../guard/decide-and-record.ts";
import type { Screening } from "../contract/screening.ts";
import type { Policy } from "../contract/policy.ts";
import { findWorkspace } from "../lib/find-workspace.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { answerCall } from "./answer-call.ts";
import { findDialect } from "./dialects/find-dialect.ts";
import type { HookOutput } from "./hook-answer.ts";
import type { HookEventName } from "./hook-event.ts";
import type { HookSettings } from "./hook-settings.ts";
import type { SecondJudge } from "./judge-call.ts";
import { hookStdin } from "./project/hook-stdin.ts";

export interface AnswererParts {
  readonly settings: HookSettings;
  readonly env: NodeJS.ProcessEnv;
  readonly policyFor: (workspace: string) => Policy;
  readonly screen: (text: string) => Screening;
  readonly anchor?: SegmentParts["anchor"];
  /** Where decisions are written, when that is not a log of its own. It stays open. */
  readonly log?: () => AuditSegment;
  readonly alsoJudge?: SecondJudge | undefined;
  readonly warn: (text: string) => void;
  /** Where hooks run when the settings name no workspace. */
  readonly hookFolder?: string;
}

export interface HookAnswerer extends Disposable {
  readonly answer: (call: { readonly event: HookEventName; readonly text: string }) => Promise<HookOutput>;
}

const HOOK_MILLISECONDS = 10_000;

/** Everything behind a hook call: dialect, guard, hooks, audit. The log opens with the first decision and closes with this. */
export function openAnswerer(parts: AnswererParts): HookAnswerer {
  const { settings, env, screen, warn } = parts;
  const dialect = findDialect(settings.agent);
  const guard = guardParts(env, commandScreen(screen));
  let segment: AuditSegment | undefined;
  const audit =
    parts.log ?? (() => (segment ??= openSegment(settings.folder, { now: realMachine.now, anchor: parts.anchor })));
  return {
    answer: (call) =>
      answerCall(call, dialect, {
        ...guard,
        settings,
        policyFor: parts.policyFor,
        alsoJudge: parts.alsoJudge,
        workspaceOf: findWorkspace,
        audit,
        screenText: (text) => orders(screen(text)),
        run: async (hook) => {
          // Loaded for the first hook alone: starting processes costs the bundle 5 ms.
          const { runHook } = await import("./project/run-hook.ts");
          const workspace = settings.workspace ?? parts.hookFolder ?? process.cwd();
          return await runHook(hook, { stdin: hookStdin(call.text), workspace, env, milliseconds: HOOK_MILLISECONDS });
        },
        warn,
      }),
    [Symbol.dispose]: () => segment?.[Symbol.dispose](),
  };
}

/** What the screen found, when it is grave enough to mark a session. */
function orders({ risk, findings }: Screening): string | undefined {
  if (risk !== "high" && risk !== "critical") return undefined;
  return findings[0]?.because ?? "it tries to steer an agent";
}
