import manifest from "../../../package.json" with { type: "json" };
import { EngineSettings } from "../../contract/engine-settings.ts";
import type { NativeSettings } from "../../hosts/native/open-native.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { say } from "../../lib/say.ts";
import { UserError } from "../../lib/user-error.ts";
import { chooseModel } from "../../models/choose-model.ts";
import { openModel } from "../../models/open-model.ts";
import { priceOf } from "../../models/prices.ts";
import { continuable } from "../../sessions/continuable.ts";
import { findSession, logPath, sessionsFolder } from "../../sessions/folder.ts";
import { readLog } from "../../sessions/read-log.ts";
import { replay } from "../../sessions/replay.ts";
import { sessionPolicy } from "../active-policy.ts";
import { countFlag, textFlag, textsFlag } from "../flags.ts";
import { skillFlags } from "./flags.ts";
import { nativeHooks } from "./hooks.ts";

type Flags = Readonly<Record<string, unknown>>;

/**
 * Parses the flags once, at the edge. Keys and the model's name come from the environment unless a flag names them.
 * A resumed session continues with its model.
 */
export function nativeSettings(flags: Flags, resume?: string): NativeSettings {
  const choice = chooseModel({ ...modelFlags(flags, resume), environment: process.env });
  const mostCost = dollars(textFlag(flags, "maxCost"));
  if (mostCost !== undefined && priceOf(choice.provider, choice.id) === undefined) {
    throw new UserError(`the price of ${choice.provider}/${choice.id} is unknown, so its cost cannot be limited`, {
      where: "--max-cost",
      fix: "use --max-turns, or a model that signalbox models shows with a price",
    });
  }
  const turns = countFlag(flags, "maxTurns", 100_000);
  if (turns === 0) throw new UserError("0 turns leave nothing to do", { where: "--max-turns", fix: "pass 1 or more" });
  const idle = countFlag(flags, "modelIdle", 3600);
  if (idle === 0)
    throw new UserError("0 seconds let no model answer", { where: "--model-idle", fix: "pass 1 or more" });
  const settings = EngineSettings.parse({
    ...(turns === undefined ? {} : { turns }),
    ...(idle === undefined ? {} : { idle_ms: idle * 1000 }),
  });
  const acceptSeconds = countFlag(flags, "acceptTimeout", 86_400);
  if (acceptSeconds === 0)
    throw new UserError("0 seconds let no check pass", { where: "--accept-timeout", fix: "pass 1 or more" });
  return {
    version: manifest.version,
    skillSettings: skillFlags(flags),
    home: signalboxHome(),
    environment: process.env,
    model: openModel(choice, { idleMs: settings.idle_ms }),
    settings,
    policyFor: (cwd) => sessionPolicy(flags, cwd),
    accept: textFlag(flags, "accept"),
    acceptTimeoutMs: (acceptSeconds ?? 600) * 1000,
    mostCost,
    requireSandbox: flags["requireSandbox"] === true,
    hooksFor: (place) => nativeHooks({ ...place, home: signalboxHome(), environment: process.env, warn: say }),
    filters: [{ allow: textsFlag(flags, "allowTool"), deny: textsFlag(flags, "denyTool") }],
    warn: say,
  };
}

/** The flags win over the session's values. The session's address is reused only for its own provider. */
function modelFlags(
  flags: Flags,
  resume: string | undefined,
): Pick<Parameters<typeof chooseModel>[0], "name" | "baseUrl"> {
  const previous = resume === undefined ? undefined : sessionModel(resume);
  const name = textFlag(flags, "model") ?? previous?.model;
  const sameProvider = name?.split("/")[0] === previous?.model?.split("/")[0];
  return { name, baseUrl: textFlag(flags, "baseUrl") ?? (sameProvider ? previous?.baseUrl : undefined) };
}

function sessionModel(session: string) {
  const folder = sessionsFolder(signalboxHome());
  const path = logPath(folder, findSession(folder, session, currentFolder()));
  const log = readLog(path);
  // Otherwise a log without a model would be mistaken for one whose model is missing.
  continuable(log, path);
  const { model, baseUrl } = replay(log.records.map(({ record }) => record));
  return { model: model === "" ? undefined : model, baseUrl };
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
