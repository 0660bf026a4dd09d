import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Effort } from "../../contract/effort.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { say } from "../../lib/say.ts";
import { chooseModel, type ModelChoice } from "../../models/choose-model.ts";
import { readEffort, type ThinkingEffort, thinkingEffort } from "../../models/effort.ts";
import { continuable } from "../../sessions/continuable.ts";
import { findSession, logPath, sessionsFolder } from "../../sessions/folder.ts";
import { readLog } from "../../sessions/read-log.ts";
import { replay } from "../../sessions/replay.ts";
import { type LoadedSettings, loadSettings } from "../../settings/load-settings.ts";
import { wantedBaseUrl, wantedEffort, wantedModel } from "../../settings/wanted-model.ts";
import { textFlag } from "../flags.ts";

type Flags = Readonly<Record<string, unknown>>;

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
export function chosenModel(flags: Flags, resume: string | undefined, cwd?: string): ChosenModel {
  const session = resume === undefined ? undefined : sessionModel(resume);
  const folder = cwd ?? session?.cwd ?? resolve(currentFolder(), textFlag(flags, "root") ?? ".");
  const settings = loadSettings({ home: signalboxHome(), workspace: findWorkspace(realFolder(folder)) });
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

/** Trust is kept by real path. A folder that is gone has no settings, and is reported where it is needed. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
