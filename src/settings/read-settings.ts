import { EngineSettings } from "../contract/engine-settings.ts";
import { SettingsFile } from "../contract/settings-file.ts";
import { describeIssue } from "../lib/describe-issue.ts";
import { refuseNewer } from "../lib/file-format.ts";
import { nearest } from "../lib/nearest.ts";
import { readYaml } from "../lib/read-yaml.ts";
import { UserError } from "../lib/user-error.ts";

/** The settings in one file. Nothing that the file does not contain is filled in. */
export interface GivenSettings extends Pick<SettingsFile, "model" | "effort" | "base_url" | "skills"> {
  readonly engine: Partial<EngineSettings>;
}

/** Whose file it is. A project may set less. */
export type SettingsOwner = "user" | "project";

export const MAX_SETTINGS_BYTES = 64 * 1024;

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
  refuseNewer(given, { where: at(["version"]), known: 1 });
  const fail = (issue: Issue | undefined, names: readonly string[]): UserError => mistake(issue, names, at);
  const file = SettingsFile.safeParse(given);
  if (!file.success) throw fail(file.error.issues[0], Object.keys(SettingsFile.shape));
  const { model, effort, base_url, skills, engine = {} } = file.data;
  const limits = EngineSettings.safeParse(engine);
  if (!limits.success) {
    const [issue] = limits.error.issues;
    throw fail(issue === undefined ? issue : { ...issue, path: ["engine", ...issue.path] }, ENGINE_NAMES);
  }
  if (base_url !== undefined) checkBaseUrl(owner, model, at(["base_url"]));
  if (owner === "project" && skills?.directories !== undefined) throw projectSkills(at(["skills", "directories"]));
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(base_url === undefined ? {} : { base_url }),
    ...(skills === undefined ? {} : { skills }),
    engine: Object.fromEntries(Object.entries(limits.data).filter(([key]) => key in engine)),
  };
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
