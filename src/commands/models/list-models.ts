import { currentFolder } from "../../lib/current-folder.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { printable } from "../../lib/printable.ts";
import { isUserError } from "../../lib/user-error.ts";
import { CATALOG } from "../../models/catalog/catalog.ts";
import type { ModelRow } from "../../models/catalog/row.ts";
import { usualUrl } from "../../models/choose-model.ts";
import { DEFAULT_PROMPT } from "../../models/limits.ts";
import { PROVIDERS } from "../../models/providers.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { wantedModel } from "../../settings/wanted-model.ts";
import { printJson } from "../flags.ts";
import { amount, priceText, thinkingText } from "./describe-row.ts";

/** The providers, whether each has a key, the known models, and which one would be used here. */
export function listModels(json: boolean): void {
  const providers = PROVIDERS.map((provider) => ({
    provider: provider.name,
    wire: provider.wire,
    baseUrl: usualUrl(provider, process.env) ?? null,
    ...keyOf(provider),
  }));
  const chosen = chosenHere();
  if (json) return printJson({ providers, models: CATALOG, defaultWindow: DEFAULT_PROMPT, chosen });
  const lines = [...providers.map(providerLine), "", ...modelLines(), "", chosenLine(chosen)];
  process.stdout.write(`${lines.join("\n")}\n`);
}

const keyOf = ({ keyVariables }: (typeof PROVIDERS)[number]) => ({
  keyVariables,
  key: keyVariables.length === 0 ? "not needed" : keyVariables.some((key) => process.env[key]) ? "set" : "not set",
});

interface Line {
  readonly provider: string;
  readonly wire: string;
  readonly baseUrl: string | null;
  readonly keyVariables: readonly string[];
  readonly key: string;
}

const providerLine = ({ provider, wire, baseUrl, keyVariables, key }: Line) =>
  `${provider.padEnd(12)} ${wire.padEnd(11)} ${printable(baseUrl ?? "(--base-url)").padEnd(50)} ${keyVariables[0] ?? "no key"}: ${key}`;

const modelLines = () => [
  `${"Known models".padEnd(31)} ${"prompt".padStart(10)} ${"answer".padStart(8)}  thinking         dollars per million tokens: in, out, cache read, cache write`,
  ...CATALOG.map(modelLine),
  `* is used when only its provider has a key. Other models work too: ${amount(DEFAULT_PROMPT)} tokens are assumed, and their cost is unknown.`,
];

function modelLine({ provider, model, isDefault, window, prompt, output, thinking, price }: ModelRow): string {
  const name = `${provider}/${model}${isDefault === true ? " *" : ""}`;
  const limits = `${amount(prompt ?? window).padStart(10)} ${amount(output).padStart(8)}`;
  return `${name.padEnd(31)} ${limits}  ${thinkingText(thinking).padEnd(16)} ${priceText(price)}`;
}

interface Chosen {
  readonly model: string | null;
  readonly from: string;
}

/** A broken settings file does not hide the list. */
function chosenHere(): Chosen {
  try {
    const settings = loadSettings({ home: signalboxHome(), workspace: findWorkspace(currentFolder()) });
    const wanted = wantedModel(process.env, settings);
    return { model: wanted?.value ?? null, from: wanted?.place ?? "" };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { model: null, from: `${error.where ?? ""}: ${error.message} (${error.fix})` };
  }
}

function chosenLine({ model, from }: Chosen): string {
  if (model !== null) return printable(`Used here: ${model} (from ${from})`);
  if (from !== "") return printable(`Used here: unknown. ${from}`);
  return "Used here: none. Choose one with --model, SIGNALBOX_MODEL, or signalbox models --set NAME.";
}
