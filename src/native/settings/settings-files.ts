import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDocument } from "yaml";
import { type Effort, EngineSettings, type FeatureFlags, SettingsFile } from "../../contract/engine-settings.ts";
import { isTrusted, readTrust } from "../../guard/policy/trust.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { refuseNewer } from "../../lib/json/file-format.ts";
import { describeIssue } from "../../lib/json/json-value.ts";
import { readYaml } from "../../lib/json/read-yaml.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { errorCode, EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { defaultModel } from "../../models/choose-model.ts";
import { readEffort } from "../../models/effort.ts";

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
export function loadSettings(home: string, workspace?: string): LoadedSettings {
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
function readUserSettings(path: string): string | undefined {
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

/** The settings in one file. Nothing that the file does not contain is filled in. */
interface GivenSettings extends Pick<
  SettingsFile,
  "model" | "effort" | "base_url" | "skills" | "accept" | "check_hint"
> {
  readonly engine: Partial<EngineSettings>;
}

/** Whose file it is. A project may set less. */
export type SettingsOwner = "user" | "project";

const MAX_SETTINGS_BYTES = 64 * 1024;

/** Parses a settings file. Any mistake throws a UserError with file, line and fix. */
export function readSettings(text: string, name: string, owner: SettingsOwner): GivenSettings {
  const { value, at } = readYaml(text, {
    name,
    what: "the settings file",
    maxBytes: MAX_SETTINGS_BYTES,
    tooLarge: "keep only settings in it",
  });
  // An empty file, or one with comments alone.
  const given = value ?? {};
  refuseNewer(given, at(["version"]));
  const fail = (issue: Issue | undefined, names: readonly string[]): UserError => mistake(issue, names, at);
  const file = SettingsFile.safeParse(given);
  if (!file.success) throw fail(file.error.issues[0], Object.keys(SettingsFile.shape));
  const { version: _, engine = {}, ...settings } = file.data;
  const { model, base_url, skills, accept } = settings;
  const limits = EngineSettings.safeParse(engine);
  if (!limits.success) {
    const [issue] = limits.error.issues;
    throw fail(issue === undefined ? issue : { ...issue, path: ["engine", ...issue.path] }, ENGINE_NAMES);
  }
  if (base_url !== undefined) checkBaseUrl(owner, model, at(["base_url"]));
  if (owner === "user" && accept !== undefined) throw userAccept(at(["accept"]));
  if (owner === "project" && skills?.directories !== undefined) throw projectSkills(at(["skills", "directories"]));
  return { ...settings, engine: Object.fromEntries(Object.entries(limits.data).filter(([key]) => key in engine)) };
}

const ENGINE_NAMES = Object.keys(EngineSettings.shape);

function checkBaseUrl(owner: SettingsOwner, model: string | undefined, where: string): void {
  if (owner === "project") {
    throw new UserError("a project cannot set base_url, because a repository must not choose where keys are sent", {
      where,
      fix: "remove it; to use another address, set it in ~/.signalbox/settings.yaml or pass --base-url",
    });
  }
  if (model !== undefined) return;
  throw new UserError("base_url needs a model, because it is the address of that model's provider", {
    where,
    fix: "add model: provider/model, or remove base_url",
  });
}

const userAccept = (where: string) =>
  new UserError("accept is the check of one project, so it cannot be set for all of them", {
    where,
    fix: "move it to .signalbox/settings.yaml of the project, and trust that file: signalbox trust",
  });

const projectSkills = (where: string) =>
  new UserError("a project cannot set skills.directories, because it must not open folders outside the workspace", {
    where,
    fix: "remove it, and put the skills of the project into .signalbox/skills",
  });

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

function mistake(
  issue: Issue | undefined,
  names: readonly string[],
  at: (path: readonly PropertyKey[]) => string,
): UserError {
  const { path, keys: [unknown] = [] } = issue ?? { path: [] };
  const fix = "docs/models.md describes every setting";
  if (issue === undefined || unknown === undefined) {
    const what = issue === undefined ? "not understood" : describeIssue(issue);
    return new UserError(`the settings file is invalid: ${what}`, { where: at(path), fix });
  }
  const near = nearest(unknown, names);
  return new UserError(`unknown setting "${[...path.map(String), unknown].join(".").slice(0, 100)}"`, {
    where: at([...path, unknown]),
    fix: near === undefined ? `the names here are ${names.join(", ")}` : `did you mean ${near}?`,
  });
}

/** Each flag, and whether it is on without being named: always, with all experimental ones, or never. */
const DEFAULTS: Readonly<Record<keyof FeatureFlags, "on" | "experimental" | "off">> = {
  autopilot: "experimental",
  "lsp-tools": "on",
  "disable-web-tools": "off",
};

const NAMES = Object.keys(DEFAULTS);

/**
 * The flags that `SIGNALBOX_FLAGS` sets: names separated by commas or spaces, with a `-` in front to switch one off;
 * `experimental` stands for all experimental ones. The last word about a flag counts.
 */
export function featureFlags(environment: Readonly<Record<string, string | undefined>>): FeatureFlags {
  const said = new Map<string, boolean>();
  for (const word of (environment["SIGNALBOX_FLAGS"] ?? "").split(/[\s,]+/).filter((each) => each !== "")) {
    const isOn = !word.startsWith("-");
    const name = isOn ? word : word.slice(1);
    for (const each of meant(name)) said.set(each, isOn);
  }
  const flag = (name: keyof FeatureFlags) => said.get(name) ?? DEFAULTS[name] === "on";
  return {
    autopilot: flag("autopilot"),
    "lsp-tools": flag("lsp-tools"),
    "disable-web-tools": flag("disable-web-tools"),
  };
}

function meant(name: string): readonly string[] {
  if (name === "experimental") return Object.entries(DEFAULTS).flatMap(([flag, when]) => (when === name ? [flag] : []));
  if (NAMES.includes(name)) return [name];
  const near = nearest(name, [...NAMES, "experimental"]);
  throw new UserError(`unknown flag "${name.slice(0, MAX_SHOWN)}"`, {
    where: "SIGNALBOX_FLAGS",
    fix: near === undefined ? `the flags are ${NAMES.join(", ")}, and experimental` : `did you mean ${near}?`,
  });
}

const MAX_SHOWN = 60;

export const userMcpFile = (home: string) => join(home, "mcp.json");
export const projectMcpFile = (workspace: string) => join(workspace, ".signalbox", "mcp.json");

/** The files that may name servers, those first that win where two name the same. */
export const mcpFiles = (home: string, workspace: string) => [
  { path: userMcpFile(home), source: "user" as const },
  ...[projectMcpFile(workspace), join(workspace, ".mcp.json")]
    // In the home folder, both files are one.
    .filter((path) => path !== userMcpFile(home))
    .map((path) => ({ path, source: "project" as const })),
];

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting and the place it came from: a variable or a file. */
interface Placed<Value> {
  readonly value: Value;
  readonly place: string;
}

interface WantedModel extends Placed<string> {
  /** Why it is used, if nobody chose it. */
  readonly note?: string;
}

/** The model to use when no flag names one: environment, project, user, then the default of the only key. */
export function wantedModel(environment: Environment, { project, user }: LoadedSettings): WantedModel | undefined {
  const variable = environment["SIGNALBOX_MODEL"] ?? "";
  if (variable !== "") return { value: variable, place: "SIGNALBOX_MODEL" };
  const file = [project, user].find((settings) => settings?.model !== undefined);
  if (file?.model !== undefined) return { value: file.model, place: file.path };
  const only = defaultModel(environment);
  if (only === undefined) return undefined;
  const { name, keyVariable } = only;
  const note = `using ${name}, because ${keyVariable} is set; to choose another: signalbox models --set provider/model`;
  return { value: name, place: keyVariable, note };
}

/** The user's own address for the provider of a model. It never applies to another provider, whose key it would get. */
export function wantedBaseUrl(name: string | undefined, { user }: LoadedSettings): string | undefined {
  const providerOf = (model: string | undefined) => model?.split("/")[0];
  return providerOf(name) === providerOf(user?.model) ? user?.base_url : undefined;
}

/** The effort to use when no flag sets it. */
export function wantedEffort(environment: Environment, { project, user }: LoadedSettings): Placed<Effort> | undefined {
  const variable = environment["SIGNALBOX_EFFORT"] ?? "";
  if (variable !== "") return { value: readEffort(variable, "SIGNALBOX_EFFORT"), place: "SIGNALBOX_EFFORT" };
  const file = [project, user].find((settings) => settings?.effort !== undefined);
  return file?.effort === undefined ? undefined : { value: file.effort, place: file.path };
}

interface NewModel {
  readonly model: string;
  readonly baseUrl?: string | undefined;
}

/** The user's settings file with another model, not written yet. */
interface SettingsPlan {
  readonly path: string;
  /** Undefined if there is no file. */
  readonly before: string | undefined;
  readonly text: string;
  /** The address of another provider was removed, because it would get the new provider's key. */
  readonly droppedUrl: boolean;
}

/** Keeps the rest of the file, comments included. Throws a UserError for a file that cannot be read or changed. */
export function planModel(home: string, wanted: NewModel): SettingsPlan {
  const path = settingsPath(home);
  const before = readUserSettings(path);
  refuseReadOnly(path);
  return { path, before, ...withModel(before ?? "version: 1\n", wanted, path) };
}

/** Root may write it all the same, but whoever took the right away meant something by it. */
function refuseReadOnly(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & 0o200) !== 0) return;
  throw new UserError("the settings file is read-only, and nothing was written", {
    where: path,
    fix: `chmod u+w ${shQuote(path)}`,
    exitCode: EXIT.refused,
  });
}

/** Writes a model to the user's settings file. */
export function writeModel(home: string, wanted: NewModel): Pick<SettingsPlan, "path" | "droppedUrl"> {
  const { path, before, text, droppedUrl } = planModel(home, wanted);
  makeFolder(dirname(path));
  // A file that is a link stays one.
  if (text !== before) atomicWrite(before === undefined ? path : realpathSync(path), text);
  return { path, droppedUrl };
}

/** The text of a settings file with another model. */
export function withModel(text: string, { model, baseUrl }: NewModel, name: string) {
  const before = readSettings(text, name, "user");
  const document = parseDocument(text);
  const droppedUrl =
    baseUrl === undefined && before.base_url !== undefined && providerOf(before.model) !== providerOf(model);
  document.set("model", model);
  if (baseUrl !== undefined) document.set("base_url", baseUrl);
  else if (droppedUrl) document.delete("base_url");
  const made = document.toString({ lineWidth: 0 });
  const after = readSettings(made, name, "user");
  if (after.model === model) return { text: made, droppedUrl };
  throw new UserError("the settings file cannot be edited safely", {
    where: name,
    fix: `write it by hand: model: ${model}`,
  });
}

const providerOf = (model: string | undefined) => model?.split("/")[0];
