import { join } from "node:path";
import { EngineSettings } from "../contract/engine-settings.ts";
import { isTrusted, readTrust } from "../guard/policy/trust.ts";
import { errorCode } from "../lib/error-code.ts";
import { messageOf } from "../lib/message-of.ts";
import { readBounded } from "../lib/read-bounded.ts";
import { UserError } from "../lib/user-error.ts";
import { MAX_SETTINGS_BYTES, readSettings, type GivenSettings } from "./read-settings.ts";

interface Places {
  /** The user's signalbox folder. */
  readonly home: string;
  /** The folder whose project settings apply; undefined for none. */
  readonly workspace?: string | undefined;
}

/** A settings file and where it is. */
interface PlacedSettings extends GivenSettings {
  readonly path: string;
}

export interface LoadedSettings {
  readonly user: PlacedSettings | undefined;
  /** Undefined unless the user trusts the file. */
  readonly project: PlacedSettings | undefined;
  /** The user's folders of skills, and the skills that either file disables. */
  readonly skills: { readonly directories: readonly string[]; readonly disabled: readonly string[] };
  /** The engine's limits in both files; a project can only lower them. */
  readonly engine: Partial<EngineSettings>;
  /** What the user should know: files that are ignored. */
  readonly notes: readonly string[];
}

export const settingsPath = (home: string): string => join(home, "settings.yaml");

export const projectSettingsPath = (workspace: string): string => join(workspace, ".signalbox", "settings.yaml");

/** The settings that apply in a workspace. A mistake in a file that counts throws a UserError. */
export function loadSettings({ home, workspace }: Places): LoadedSettings {
  const path = settingsPath(home);
  const text = readUserSettings(path);
  const user = text === undefined ? undefined : { ...readSettings(text, path, "user"), path };
  const { project, note } = workspace === undefined ? {} : loadProject(home, projectSettingsPath(workspace));
  return {
    user,
    project,
    skills: skillsOf(user?.skills, project?.skills),
    engine: ordered({
      ...user?.engine,
      ...lowered(project?.engine ?? {}, { ...EngineSettings.parse({}), ...user?.engine }),
    }),
    notes: note === undefined ? [] : [note],
  };
}

const skillsOf = (user: GivenSettings["skills"] = {}, project: GivenSettings["skills"] = {}) => ({
  directories: user.directories ?? [],
  disabled: [...(user.disabled ?? []), ...(project.disabled ?? [])],
});

/** A file that is not trusted is not even parsed, so that it cannot keep anybody from working. */
function loadProject(home: string, path: string): { project?: PlacedSettings; note?: string } {
  // In the home folder, both files are one.
  if (path === settingsPath(home)) return {};
  const { text, problem } = readSettingsText(path);
  if (problem !== undefined) return { note: `ignoring ${path}: it cannot be read (${problem})` };
  if (text === undefined) return {};
  const trusted = readTrust(home);
  if (isTrusted(trusted, path, text)) return { project: { ...readSettings(text, path, "project"), path } };
  const why = trusted.some((file) => file.path === path) ? "it changed since you trusted it" : "it is not trusted";
  return { note: `ignoring ${path}: ${why}; to review it: signalbox trust` };
}

/** The text of the user's own settings file; undefined if there is none. */
export function readUserSettings(path: string): string | undefined {
  const { text, problem } = readSettingsText(path);
  if (problem === undefined) return text;
  throw new UserError(`the settings file cannot be read: ${problem}`, {
    where: path,
    fix: "make it a readable text file of at most 64 KiB, or remove it",
  });
}

/** A FIFO, gigabytes or binary data are refused at once. Neither text nor problem: there is no such file. */
function readSettingsText(path: string): { readonly text?: string; readonly problem?: string } {
  try {
    const { bytes } = readBounded(path, MAX_SETTINGS_BYTES);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? { problem: "it is not text" } : { text };
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return {};
    return { problem: code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8" : (code ?? messageOf(error)) };
  }
}

/** A project may lower the share from which a request waits below the user's share from which a summary is written. */
function ordered(engine: Partial<EngineSettings>): Partial<EngineSettings> {
  const { compact_at: begin, compact_wait_at: wait } = engine;
  return begin === undefined || wait === undefined ? engine : { ...engine, compact_at: Math.min(begin, wait) };
}

/** The limits of a project, none above what applies without it. */
function lowered(project: Partial<EngineSettings>, others: EngineSettings): Partial<EngineSettings> {
  const limits: Readonly<Record<string, unknown>> = others;
  return Object.fromEntries(
    Object.entries(project).flatMap(([key, value]) => {
      const limit = limits[key];
      return typeof value === "number" && typeof limit === "number" ? [[key, Math.min(value, limit)]] : [];
    }),
  );
}
