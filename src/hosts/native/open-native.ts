import type { EngineSettings } from "../../contract/engine-settings.ts";
import type { AskPerson, Permit } from "../../contract/tool.ts";
import { compaction } from "../../engine/compaction/compaction.ts";
import { acceptanceGate } from "../../engine/gates.ts";
import { guardProcessor, type Processor } from "../../engine/processor.ts";
import type { EngineHooks } from "../../engine/hooks.ts";
import type { Policy } from "../../contract/policy.ts";
import type { SkillSettings } from "../../knowledge/skills/load-skills.ts";
import { systemPrompt } from "../../knowledge/system-prompt.ts";
import { messageOf } from "../../lib/message-of.ts";
import { oneAtATime } from "../../lib/one-at-a-time.ts";
import { realClock } from "../../lib/real-clock.ts";
import type { HostJob } from "../../backplane/host.ts";
import type { CommandContainment } from "../../tools/command/contained-commands.ts";
import type { ThinkingEffort } from "../../models/effort.ts";
import type { Model } from "../../models/model.ts";
import { findSession, newSessionId, sessionsFolder } from "../../sessions/folder.ts";
import { createSession, openSession, type Session } from "../../sessions/session.ts";
import type { AskUser } from "../../tools/ask-user.ts";
import { endLeftCommands } from "../../tools/command/left-commands.ts";
import type { ToolFilter } from "../../tools/tool-set.ts";
import { type Conversation, converse, type EngineParts } from "./conversation.ts";
import { warnOfAttacks, warnOfMissing } from "./context-warnings.ts";
import { fingerprint } from "./fingerprint.ts";
import { contextRecord, forTools, nativeContext } from "./native-context.ts";
import { openNativeTools, type NativeTools } from "./native-tools.ts";
import { turnKnowledge } from "./turn-knowledge.ts";

/** Where a conversation takes place, and who can be asked. */
interface NativePlace {
  readonly cwd: string;
  /** The session to resume; undefined for a new one. */
  readonly resume?: string | undefined;
  /** The first prompt, if already known. It is logged before hooks or the model see the session. */
  readonly prompt?: string | undefined;
  /** Undefined if nobody can be asked; then calls that need approval are denied. */
  readonly askPerson?: AskPerson | undefined;
  readonly askUser?: AskUser | undefined;
}

/** A conversation with its log, tools, and processes. All of them end when it is disposed. */
export interface NativeSession extends AsyncDisposable {
  readonly conversation: Conversation;
  /** The names of its tools. */
  readonly tools: readonly string[];
  /** Where its commands run, for the receipt. */
  readonly containment: CommandContainment["facts"];
}

export type OpenNative = (place: NativePlace) => Promise<NativeSession>;

/** What all conversations of one command have in common. */
export interface NativeSettings {
  /** Our version. */
  readonly version: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly model: Model;
  /** How much the model thinks. */
  readonly effort: ThinkingEffort;
  readonly settings: EngineSettings;
  readonly policyFor: (cwd: string) => Policy;
  /** The user's acceptance check. */
  readonly accept?: string | undefined;
  readonly acceptTimeoutMs: number;
  /** Limits of the whole session, with what it used before it was resumed. */
  readonly mostTurns?: number | undefined;
  readonly mostCost?: number | undefined;
  /** How long it may work after this start. */
  readonly timeoutMs?: number | undefined;
  readonly filters: readonly ToolFilter[];
  readonly skillSettings?: SkillSettings | undefined;
  /** Hooks added to a conversation from outside. */
  readonly hooksFor: (place: { readonly sessionId: string; readonly workspace: string }) => EngineHooks;
  /** Wraps the guard's decision with others that must also allow a call. */
  readonly guardAlso?: ((permit: Permit, containment: CommandContainment) => Permit) | undefined;
  readonly requireSandbox?: boolean | undefined;
  readonly recovery?: HostJob["recovery"];
  readonly warn: (text: string) => void;
}

/** Opens conversations with our own engine. */
export function nativeOpener(common: NativeSettings): OpenNative {
  return async ({ cwd, resume, prompt, askPerson, askUser }) => {
    await endLeftCommands(common.home, common.warn);
    const policy = common.policyFor(cwd);
    const { session, accept } = openLog(common, cwd, resume);
    const ended = new AbortController();
    try {
      // Not waited for: a server that says nothing must not delay the first request.
      void common.model.learnLimits(ended.signal);
      const { acceptTimeoutMs: checkTimeoutMs } = common;
      const found = nativeContext({ ...common, policy, cwd, unattended: askPerson === undefined });
      warnOfMissing(found, common.warn);
      warnOfAttacks(found, { warn: common.warn, isLater: prompt !== undefined, signal: ended.signal });
      const nativeTools = openNativeTools({
        ...common,
        sessionId: session.id,
        policy,
        ...inTurn({ askPerson, askUser }),
        checkTimeoutMs,
        skills: found.skills,
      });
      await nativeTools.containment.require();
      const context = forTools(found, nativeTools.tools);
      const system = systemPrompt(context.parts);
      session.append(contextRecord(context));
      const knowledge = turnKnowledge({
        context,
        timeoutMs: common.timeoutMs,
        openItems: () => nativeTools.openItems().map(({ title }) => title),
        fingerprint: (signal) => treeOf(policy, nativeTools, signal),
        before: session.before,
        record: (record) => session.append(record),
      });
      const hooks = common.hooksFor({ sessionId: session.id, workspace: policy.workspaceRoot });
      const isOneTask = prompt !== undefined;
      const frame = { policy, system, hooks, knowledge, isOneTask, signal: ended.signal };
      const parts = engineParts({ ...common, accept }, nativeTools, frame);
      const conversation = converse(session, parts, nativeTools.personSpoke);
      if (prompt !== undefined) conversation.add(prompt);
      const source = resume === undefined ? "new" : "resume";
      await tell(
        (hooks.sessionStart ?? []).map((hook) => () => hook({ source })),
        common.warn,
      );
      return {
        conversation,
        tools: nativeTools.tools.map(({ name }) => name),
        containment: nativeTools.containment.facts,
        async [Symbol.asyncDispose]() {
          ended.abort(new Error("the session has ended"));
          await conversation.close();
          await end(session, nativeTools, () => tellEnd(hooks, conversation, common.warn));
        },
      };
    } catch (error) {
      ended.abort();
      session[Symbol.dispose]();
      throw error;
    }
  };
}

/** A person can answer one question at a time, however many agents of a session ask. */
function inTurn({ askPerson, askUser }: Pick<NativePlace, "askPerson" | "askUser">) {
  const turn = oneAtATime();
  return {
    askPerson: askPerson && ((...question: Parameters<AskPerson>) => turn(() => askPerson(...question))),
    askUser: askUser && ((...question: Parameters<AskUser>) => turn(() => askUser(...question))),
  };
}

interface OpenLog {
  readonly session: Session;
  /** The check given for this start, or else the one the session began with, so that a restart does not lose it. */
  readonly accept: string | undefined;
}

function openLog({ home, model, accept }: NativeSettings, cwd: string, resume: string | undefined): OpenLog {
  const folder = sessionsFolder(home);
  const at = { folder, now: Date.now };
  if (resume !== undefined) {
    const session = openSession(findSession(folder, resume, cwd), at);
    return { session, accept: accept ?? session.header.accept };
  }
  const header = {
    id: newSessionId(Date.now()),
    cwd,
    model: model.name,
    ...(model.baseUrl === undefined ? {} : { baseUrl: model.baseUrl }),
    ...(accept === undefined ? {} : { accept }),
  };
  return { session: createSession(header, at), accept };
}

interface EngineFrame extends Pick<EngineParts, "system" | "hooks"> {
  readonly policy: Policy;
  readonly knowledge: Processor;
  readonly isOneTask: boolean;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
}

function engineParts(
  { model, settings, accept, mostTurns, mostCost, timeoutMs, warn, guardAlso = (permit) => permit }: NativeSettings,
  nativeTools: NativeTools,
  { policy, system, hooks, knowledge, isOneTask, signal }: EngineFrame,
): EngineParts {
  const { tools, permit, runCheck, containment, forgetShown, openItems } = nativeTools;
  return {
    model,
    system,
    tools: () => tools,
    processors: [knowledge, guardProcessor(guardAlso(permit, containment))],
    settings,
    clock: realClock,
    limits: {
      turns: mostTurns,
      cost: mostCost,
      deadline: timeoutMs === undefined ? undefined : realClock.now() + timeoutMs,
    },
    compaction: compaction({
      model,
      settings,
      clock: realClock,
      signal,
      isOneTask,
      standing: () => workItems(openItems()),
      before: (trigger) =>
        tell(
          (hooks.preCompact ?? []).map((hook) => () => hook({ trigger: trigger === "asked" ? "manual" : "auto" })),
          warn,
        ),
    }),
    onShortened: () => forgetShown(),
    gates: accept === undefined ? [] : [acceptanceGate(accept, runCheck)],
    hooks,
    fingerprint: (signal) => treeOf(policy, nativeTools, signal),
  };
}

const treeOf = ({ workspaceRoot: workspace }: Policy, { privateFolder }: NativeTools, signal: AbortSignal) =>
  fingerprint({ workspace, privateFolder }, signal);

/** The open work items, for a model that no longer sees how it wrote them. */
function workItems(items: ReturnType<NativeTools["openItems"]>): readonly string[] {
  const open = items.map(({ id, title, state }) => `- ${id}: ${title} (${state})`);
  return open.length === 0 ? [] : [`Open work items:\n${open.join("\n")}`];
}

async function end(session: Session, nativeTools: NativeTools, runEndHooks: () => Promise<void>): Promise<void> {
  try {
    await nativeTools[Symbol.asyncDispose]();
    await runEndHooks();
  } finally {
    session[Symbol.dispose]();
  }
}

async function tellEnd(hooks: EngineHooks, conversation: Conversation, warn: (text: string) => void): Promise<void> {
  const { reason = "answered", because = "" } = conversation.outcome ?? {};
  const event =
    reason === "answered"
      ? ({ reason: "complete" } as const)
      : ({ reason: reason === "aborted" ? "abort" : "error", error: because } as const);
  await tell(
    (hooks.sessionEnd ?? []).map((hook) => () => hook(event)),
    warn,
  );
}

/** Runs hooks that cannot change anything. A failure is only reported as a warning. */
async function tell(hooks: readonly (() => Promise<unknown>)[], warn: (text: string) => void): Promise<void> {
  for (const hook of hooks) {
    try {
      await hook();
    } catch (error) {
      warn(`a hook failed: ${messageOf(error)}`);
    }
  }
}
