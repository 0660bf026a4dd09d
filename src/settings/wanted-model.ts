import type { Effort } from "../contract/effort.ts";
import { defaultModel } from "../models/default-model.ts";
import { readEffort } from "../models/effort.ts";
import type { LoadedSettings } from "./load-settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting and the place it came from: a variable or a file. */
interface Placed<Value> {
  readonly value: Value;
  readonly place: string;
}

export interface WantedModel extends Placed<string> {
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
