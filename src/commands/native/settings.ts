import { resolve } from "node:path";
import { realIfThere } from "../../lib/path/real-path.ts";
import manifest from "../../../package.json" with { type: "json" };
import { type Effort, EngineSettings, type WorkMode } from "../../contract/engine-settings.ts";
import type { HookAnswer } from "../../contract/hook-event.ts";
import { type HookPlace, openSessionHooks } from "../../hooks/project/session-hooks.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { currentFolder, findWorkspace } from "../../lib/path/workspace.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { priceOf } from "../../models/catalog/catalog.ts";
import { chooseModel, type ModelChoice, otherModels } from "../../models/choose-model.ts";
import { readEffort, type ThinkingEffort, thinkingEffort } from "../../models/effort.ts";
import { openModel } from "../../models/open-model.ts";
import type { EngineHooks } from "../../native/engine/hooks.ts";
import { findSession, logPath, sessionsFolder, sessionsPlace } from "../../native/log/log-folder.ts";
import { continuable, readLog } from "../../native/log/read-log.ts";
import { replay } from "../../native/log/replay.ts";
import type { NativeSettings } from "../../native/settings/session-settings.ts";
import {
  featureFlags,
  type LoadedSettings,
  loadSettings,
  wantedBaseUrl,
  wantedEffort,
  wantedModel,
} from "../../native/settings/settings-files.ts";
import { sessionPolicy } from "../active-policy.ts";
import { acceptPatterns, countFlag, textFlag, textsFlag } from "../flags.ts";
import { skillSettings } from "./flags.ts";

type Flags = Readonly<Record<string, unknown>>;

/**
 * Parses the flags once, at the edge. Keys come from the environment. A resumed session continues with its model.
 */
export function nativeSettings(flags: Flags, resume?: string, cwd?: string): NativeSettings {
  // A wrong flag is reported before a key that is missing.
  const { mostCost, turns, idle, timeout, acceptSeconds } = limitsIn(flags);
  const { acceptKeep, acceptChanged } = acceptPatterns(flags, flags["accept"] !== undefined || resume !== undefined);
  const worktrees = worktreesFlag(flags);
  const { choice, effort, engine, skills } = chosenModel(flags, resume, cwd);
  if (mostCost !== undefined && priceOf(choice.provider, choice.id) === undefined) {
    throw new UserError(`the price of ${choice.provider}/${choice.id} is unknown, so its cost cannot be limited`, {
      where: "--max-cost",
      fix: "use --max-turns, or a model that signalbox models shows with a price",
    });
  }
  const settings = EngineSettings.parse({
    ...engine,
    // A limit for the session is not cut short by the one for a single prompt.
    ...(turns === undefined ? {} : { turns }),
    ...(idle === undefined ? {} : { idle_ms: idle * 1000 }),
  });
  const open = (chosen: ModelChoice) => openModel(chosen, { idleMs: settings.idle_ms, effort: () => effort.level });
  return {
    version: manifest.version,
    skillSettings: skillSettings(flags, skills),
    home: signalboxHome(),
    environment: process.env,
    model: open(choice),
    otherModels: otherModels(choice, open),
    effort,
    flags: featureFlags(process.env),
    mode: chosenMode(flags),
    settings,
    policyFor: (cwd) => sessionPolicy(flags, cwd),
    check: {
      command: textFlag(flags, "accept"),
      keep: acceptKeep,
      changed: acceptChanged,
      timeoutMs: (acceptSeconds ?? 600) * 1000,
    },
    limits: { turns, cost: mostCost, ms: timeout === undefined ? undefined : timeout * 1000 },
    requireSandbox: flags["requireSandbox"] === true,
    hooksFor: (place) => nativeHooks({ ...place, home: signalboxHome(), environment: process.env }),
    worktrees,
    filters: [{ allow: textsFlag(flags, "allowTool"), deny: textsFlag(flags, "denyTool") }],
    warn: say,
  };
}

/** An approved plan is carried out on autopilot if that was asked for. */
function chosenMode(flags: Flags): WorkMode | undefined {
  if (flags["plan"] === true) return "plan";
  if (flags["autopilot"] === true) return "auto";
  return flags["approve"] === true ? "ask" : undefined;
}

function limitsIn(flags: Flags) {
  const mostCost = dollars(textFlag(flags, "maxCost"));
  const turns = countFlag(flags, "maxTurns", 100_000);
  if (turns === 0) throw new UserError("0 turns leave nothing to do", { where: "--max-turns", fix: "pass 1 or more" });
  const idle = countFlag(flags, "modelIdle", 3600);
  if (idle === 0)
    throw new UserError("0 seconds let no model answer", { where: "--model-idle", fix: "pass 1 or more" });
  const timeout = countFlag(flags, "timeout", 7 * 86_400);
  if (timeout === 0)
    throw new UserError("0 seconds leave no time to work", { where: "--timeout", fix: "pass 1 or more" });
  const acceptSeconds = countFlag(flags, "acceptTimeout", 86_400);
  if (acceptSeconds === 0)
    throw new UserError("0 seconds let no check pass", { where: "--accept-timeout", fix: "pass 1 or more" });
  return { mostCost, turns, idle, timeout, acceptSeconds };
}

/** How many copies of a workspace at once are useful, and bearable for a disk. */
const MAX_WORKTREES = 16;

function worktreesFlag(flags: Flags): number | undefined {
  const text = textFlag(flags, "worktrees");
  if (text === undefined) return undefined;
  const most = Number(text);
  if (/^\d{1,2}$/.test(text) && most >= 1 && most <= MAX_WORKTREES) return most;
  throw new UserError(`--worktrees needs a whole number from 1 to ${MAX_WORKTREES}`, {
    where: "--worktrees",
    fix: "for example --worktrees 3, or leave it out",
  });
}

function dollars(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && value > 0) return value;
  throw new UserError("--max-cost takes US dollars above 0", {
    where: "--max-cost",
    fix: "for example --max-cost 0.50",
  });
}

interface ChosenModel {
  readonly choice: ModelChoice;
  readonly effort: ThinkingEffort;
  /** Limits of the engine from settings files. */
  readonly engine: LoadedSettings["engine"];
  readonly skills: LoadedSettings["skills"];
}

/**
 * The model and its effort, from flags, then a resumed session, then the environment, then the settings files: those
 * of the session's folder, or of `cwd` where it is given. What the user should know about the choice is said.
 */
function chosenModel(flags: Flags, resume: string | undefined, cwd?: string): ChosenModel {
  const session = resume === undefined ? undefined : sessionModel(resume);
  const folder = cwd ?? session?.cwd ?? resolve(currentFolder(), textFlag(flags, "root") ?? ".");
  // Trust is kept by real path. A folder that is gone has no settings, and is reported where it is needed.
  const settings = loadSettings(signalboxHome(), findWorkspace(realIfThere(folder)));
  for (const note of settings.notes) say(note);
  const choice = chooseModel({ ...namedModel(flags, session, settings), environment: process.env });
  const effort = thinkingEffort(choice);
  const flag = textFlag(flags, "effort");
  const isSame = session?.model === `${choice.provider}/${choice.id}`;
  const kept = isSame && session.effort !== undefined ? { value: session.effort, place: "the session" } : undefined;
  const wanted =
    flag === undefined
      ? (kept ?? wantedEffort(process.env, settings))
      : { value: readEffort(flag, "--effort"), place: "--effort" };
  const note = wanted === undefined ? undefined : effort.set(wanted.value, wanted.place);
  if (note !== undefined) say(note);
  return { choice, effort, engine: settings.engine, skills: settings.skills };
}

/** A flag wins over everything. An address is used only for the provider that it was given for. */
function namedModel(flags: Flags, session: SessionModel | undefined, settings: LoadedSettings) {
  const baseUrl = textFlag(flags, "baseUrl");
  const flag = textFlag(flags, "model");
  const name = flag ?? session?.model;
  if (name !== undefined) {
    const ofSession = name.split("/")[0] === session?.model?.split("/")[0] ? session?.baseUrl : undefined;
    return { name, baseUrl: baseUrl ?? ofSession ?? wantedBaseUrl(name, settings) };
  }
  const wanted = wantedModel(process.env, settings);
  if (wanted === undefined) return { baseUrl };
  if (wanted.note !== undefined) say(wanted.note);
  return { name: wanted.value, place: wanted.place, baseUrl: baseUrl ?? wantedBaseUrl(wanted.value, settings) };
}

interface SessionModel {
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly cwd: string | undefined;
  readonly effort: Effort | undefined;
}

function sessionModel(session: string): SessionModel {
  const folder = sessionsFolder(signalboxHome());
  const path = logPath(folder, findSession(folder, session, currentFolder()));
  const log = readLog(path);
  // Otherwise a log without a model would be mistaken for one whose model is missing.
  continuable(log, path);
  const { model, baseUrl, effort } = replay(log.records.map(({ record }) => record));
  return { model: model === "" ? undefined : model, baseUrl, effort, cwd: log.header?.cwd };
}

/** The hook programs configured by the user and the trusted repository, as hooks of the engine. */
function nativeHooks(place: HookPlace): EngineHooks {
  const hooks = openSessionHooks(place);
  if (hooks === undefined) return {};
  const { beforeTool, beforeStop, tell } = hooks;
  const transcriptPath = logPath(sessionsPlace(place.home), place.sessionId);
  return {
    sessionStart: [async (event) => void (await tell("session-start", event))],
    sessionEnd: [async (event) => void (await tell("session-end", event))],
    errorOccurred: [async (event) => void (await tell("error", event))],
    preCompact: [async (event) => void (await tell("compact-before", event))],
    userPromptSubmitted: [async (event) => promptWord(await tell("prompt-submitted", event))],
    preToolUse: [async (event) => toolWord(await beforeTool(event))],
    postToolUse: [
      async ({ toolName, toolArgs, toolResult: { text, failed } }) => {
        const toolResult = { resultType: failed ? "failure" : "success", textResultForLlm: text };
        return resultWord(await tell("tool-after", { toolName, toolArgs, toolResult }), failed);
      },
    ],
    agentStop: [
      async (event) => {
        const { stopReason, stopHookActive: stop_hook_active } = event;
        const reason = await beforeStop(
          "agent-stop",
          { transcriptPath, stopReason, stop_hook_active },
          stop_hook_active,
        );
        return reason === undefined ? undefined : { decision: "block" as const, reason };
      },
    ],
    subagentStop: [
      async ({ stopHookActive: stop_hook_active, agentName, ...event }) => {
        const payload = { ...event, agentName, agentType: agentName, stop_hook_active };
        const reason = await beforeStop("subagent-stop", payload, stop_hook_active);
        return reason === undefined ? undefined : { decision: "block" as const, reason };
      },
    ],
  };
}

const contextOf = ({ context }: HookAnswer) => (context === undefined ? {} : { additionalContext: context });

function promptWord(answer: HookAnswer) {
  const { block, prompt } = answer;
  return {
    ...contextOf(answer),
    ...(prompt === undefined ? {} : { modifiedPrompt: prompt }),
    ...(block === undefined ? {} : { decision: "block" as const, reason: block }),
  };
}

/** A changed result replaces the whole one: images that the hook was not shown are not sent either. */
function resultWord(answer: HookAnswer, failedBefore: boolean) {
  const { result } = answer;
  return {
    ...contextOf(answer),
    ...(result === undefined ? {} : { modifiedResult: { text: result.text, failed: result.failed ?? failedBefore } }),
  };
}

/**
 * When a hook asks for approval, the call is denied with that reason, because the guard only asks according to its own
 * rules.
 */
function toolWord(answer: HookAnswer) {
  const { verdict, because = "a hook denied it", input } = answer;
  const reason = verdict === "ask" ? `a hook asks for approval: ${because}` : because;
  return {
    ...contextOf(answer),
    ...(input === undefined ? {} : { modifiedArgs: input }),
    ...(verdict === "deny" || verdict === "ask"
      ? { permissionDecision: "deny" as const, permissionDecisionReason: reason }
      : {}),
  };
}
