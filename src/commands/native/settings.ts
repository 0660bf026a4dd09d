import manifest from "../../../package.json" with { type: "json" };
import { EngineSettings } from "../../contract/engine-settings.ts";
import type { NativeSettings } from "../../hosts/native/native-settings.ts";
import type { WorkMode } from "../../contract/work-mode.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { say } from "../../lib/say.ts";
import { UserError } from "../../lib/user-error.ts";
import { featureFlags } from "../../settings/feature-flags.ts";
import { openModel } from "../../models/open-model.ts";
import type { ModelChoice } from "../../models/choose-model.ts";
import { otherModels } from "../../models/other-models.ts";
import { priceOf } from "../../models/catalog/price.ts";
import { sessionPolicy } from "../active-policy.ts";
import { acceptPatterns, countFlag, textFlag, textsFlag } from "../flags.ts";
import { chosenModel } from "./chosen-model.ts";
import { skillSettings } from "./flags.ts";
import { nativeHooks } from "./hooks.ts";

type Flags = Readonly<Record<string, unknown>>;

/**
 * Parses the flags once, at the edge. Keys come from the environment. A resumed session continues with its model.
 */
export function nativeSettings(flags: Flags, resume?: string, cwd?: string): NativeSettings {
  // A wrong flag is reported before a key that is missing.
  const { mostCost, turns, idle, timeout, acceptSeconds } = limitsIn(flags);
  const patterns = acceptPatterns(flags, flags["accept"] !== undefined || resume !== undefined);
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
    accept: textFlag(flags, "accept"),
    ...patterns,
    acceptTimeoutMs: (acceptSeconds ?? 600) * 1000,
    mostTurns: turns,
    mostCost,
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
    requireSandbox: flags["requireSandbox"] === true,
    hooksFor: (place) => nativeHooks({ ...place, home: signalboxHome(), environment: process.env, warn: say }),
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
