import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { parseDocument } from "yaml";
import type { Effort } from "../../contract/engine-settings.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { defaultModel } from "../../models/choose-model.ts";
import { readEffort } from "../../models/effort.ts";
import { type LoadedSettings, readSettings, readUserSettings, settingsPath } from "./settings-files.ts";

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

/**
 * Writes a model to the user's settings file, and keeps the rest of it, comments included. The address of another
 * provider is removed: it would get the new provider's key.
 */
export function writeModel(home: string, wanted: NewModel): { readonly path: string; readonly droppedUrl: boolean } {
  const path = settingsPath(home);
  const before = readUserSettings(path);
  const { text, droppedUrl } = withModel(before ?? "version: 1\n", wanted, path);
  makeFolder(dirname(path));
  // A file that is a link stays one.
  atomicWrite(before === undefined ? path : realpathSync(path), text);
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
