import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { parseDocument } from "yaml";
import { atomicWrite } from "../lib/atomic-write.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { UserError } from "../lib/user-error.ts";
import { readUserSettings, settingsPath } from "./load-settings.ts";
import { readSettings } from "./read-settings.ts";

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
