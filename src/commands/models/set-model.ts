import { signalboxHome } from "../../lib/home-folder.ts";
import { refuseInSandbox } from "../../lib/refuse-in-sandbox.ts";
import { say } from "../../lib/say.ts";
import { modelRow } from "../../models/catalog/catalog.ts";
import { checkedUrl, readModelName, usualUrl } from "../../models/choose-model.ts";
import { DEFAULT_PROMPT } from "../../models/limits.ts";
import type { Provider } from "../../models/providers.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { wantedBaseUrl } from "../../settings/wanted-model.ts";
import { writeModel } from "../../settings/write-model.ts";
import { printJson } from "../flags.ts";
import { amount } from "./describe-row.ts";

interface Options {
  readonly baseUrl: string | undefined;
  readonly json: boolean;
}

/** Writes a model to the user's settings, once it is known that it can be called. */
export function setModel(name: string, { baseUrl, json }: Options): void {
  refuseInSandbox("a command in the sandbox cannot change settings", "run it in your own terminal");
  const { provider, id } = readModelName(name, "--set");
  const known = wantedBaseUrl(name, loadSettings({ home: signalboxHome() }));
  checkedUrl(provider, baseUrl ?? known ?? usualUrl(provider, process.env));
  const { path, droppedUrl } = writeModel(signalboxHome(), { model: name, baseUrl });
  if (droppedUrl) say("base_url was removed from the settings, because it is the address of another provider");
  if (!hasKey(provider)) say(`no key for ${provider.name} is set yet: export ${provider.keyVariables[0] ?? ""}=…`);
  if (modelRow(provider.name, id) === undefined)
    say(`${name} is not in the catalogue: ${amount(DEFAULT_PROMPT)} tokens are assumed, and its cost is unknown`);
  const overriding = process.env["SIGNALBOX_MODEL"] ?? "";
  if (overriding !== "" && overriding !== name) say(`SIGNALBOX_MODEL is set to ${overriding} and is used instead`);
  if (json) printJson({ model: name, ...(baseUrl === undefined ? {} : { baseUrl }), path });
  else process.stdout.write(`${name} is used from now on (${path})\n`);
}

const hasKey = ({ name, keyVariables }: Provider): boolean =>
  keyVariables.length === 0 ||
  name === "compatible" ||
  keyVariables.some((variable) => (process.env[variable] ?? "") !== "");
