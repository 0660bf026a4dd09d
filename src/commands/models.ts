import { signalboxHome } from "../lib/path/home-folder.ts";
import { currentFolder, findWorkspace } from "../lib/path/workspace.ts";
import { refuseInSandbox } from "../lib/process/inside-session.ts";
import { say } from "../lib/process/standard-streams.ts";
import { printable } from "../lib/text/printable.ts";
import { EXIT, isUserError, UserError } from "../lib/text/user-error.ts";
import { CATALOG, modelRow } from "../models/catalog/catalog.ts";
import type { ModelRow, Price, Thinking } from "../models/catalog/row.ts";
import { checkedUrl, chooseModel, type Provider, PROVIDERS, readModelName, usualUrl } from "../models/choose-model.ts";
import { DEFAULT_PROMPT, limitsOf } from "../models/model.ts";
import { loadSettings, wantedBaseUrl, wantedModel, writeModel } from "../native/settings/settings-files.ts";
import type { CommandModule } from "./command-module.ts";
import { once, printJson, textFlag } from "./flags.ts";

const EXAMPLES = `
Examples:
  signalbox models                                          lists providers and known models
  signalbox models anthropic/claude-haiku-4-5               shows how it would be called
  signalbox models --set anthropic/claude-sonnet-5          uses it from now on
  signalbox models --set compatible/qwen3 --base-url http://127.0.0.1:8080/v1`;

const keyOf = ({ keyVariables }: (typeof PROVIDERS)[number]) => ({
  keyVariables,
  key: keyVariables.length === 0 ? "not needed" : keyVariables.some((key) => process.env[key]) ? "set" : "not set",
});

const providerLine = ({ provider, wire, baseUrl, keyVariables, key }: Line) =>
  `${provider.padEnd(12)} ${wire.padEnd(11)} ${printable(baseUrl ?? "(--base-url)").padEnd(50)} ${keyVariables[0] ?? "no key"}: ${key}`;

const modelLines = () => [
  `${"Known models".padEnd(31)} ${"prompt".padStart(10)} ${"answer".padStart(8)}  thinking         dollars per million tokens: in, out, cache read, cache write`,
  ...CATALOG.map(modelLine),
  `* is used when only its provider has a key. Other models work too: ${amount(DEFAULT_PROMPT)} tokens are assumed, and their cost is unknown.`,
];

const hasKey = ({ name, keyVariables }: Provider): boolean =>
  keyVariables.length === 0 ||
  name === "compatible" ||
  keyVariables.some((variable) => (process.env[variable] ?? "") !== "");

/** A number of tokens with separators. */
export const amount = (tokens: number | undefined): string => tokens?.toLocaleString("en-US") ?? "unknown";

/** `signalbox models`: providers, keys, and what is known about models. Sends no requests. */
export const command: CommandModule = {
  configure(command) {
    command
      .argument("[name]", "provider/model: show how it would be called")
      .option("--set <name>", "use this model from now on (writes ~/.signalbox/settings.yaml)", once)
      .option("--base-url <url>", "base URL of the provider", once)
      .option("--json", "print JSON")
      .addHelpText("after", EXAMPLES);
  },

  async run({ words, flags }) {
    const [name] = words;
    const wanted = textFlag(flags, "set");
    const [baseUrl, json] = [textFlag(flags, "baseUrl"), flags["json"] === true];
    if (wanted !== undefined && name !== undefined) {
      throw new UserError("--set already names a model", { where: name, fix: "pass one of the two" });
    }
    if (wanted !== undefined) setModel(wanted, baseUrl, json);
    else if (name !== undefined) showModel(name, baseUrl, json);
    else listModels(json);
    return EXIT.ok;
  },
};

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

interface Line {
  readonly provider: string;
  readonly wire: string;
  readonly baseUrl: string | null;
  readonly keyVariables: readonly string[];
  readonly key: string;
}

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
    const settings = loadSettings(signalboxHome(), findWorkspace(currentFolder()));
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

/** How one model would be called, and what is known about it. */
export function showModel(name: string, baseUrl: string | undefined, json: boolean): void {
  const wanted = { name, place: "the argument of models", baseUrl, environment: process.env };
  const { provider, wire, id, baseUrl: address, key } = chooseModel(wanted);
  const call = { provider, model: id, wire, baseUrl: address, key: key === undefined ? "none" : "set" };
  const row = modelRow(provider, id);
  const limits = limitsOf(row);
  if (json) return printJson({ ...call, limits, row: row ?? null });
  const facts = {
    ...call,
    prompt: `${amount(limits.prompt)} tokens${row === undefined ? ", assumed: it is not in the catalogue" : ""}`,
    answer: row?.output === undefined ? "unknown" : `${amount(row.output)} tokens`,
    thinking: row === undefined ? "unknown" : thinkingText(row.thinking),
    price: row?.price === undefined ? "unknown" : `${priceText(row.price).trim()} (in, out, cache read, cache write)`,
    sources: row?.sources.map(({ of, from, read }) => `${of}: ${from}, ${read}`).join("; ") ?? "none",
  };
  for (const [field, value] of Object.entries(facts)) process.stdout.write(`${field.padEnd(9)}${printable(value)}\n`);
}

/** Writes a model to the user's settings, once it is known that it can be called. */
export function setModel(name: string, baseUrl: string | undefined, json: boolean): void {
  refuseInSandbox("a command in the sandbox cannot change settings", "run it in your own terminal");
  checkModel(name, baseUrl, "--set");
  const { path, droppedUrl } = writeModel(signalboxHome(), { model: name, baseUrl });
  for (const note of modelNotes(name, droppedUrl)) say(note);
  if (json) printJson({ model: name, ...(baseUrl === undefined ? {} : { baseUrl }), path });
  else process.stdout.write(`${name} is used from now on (${path})\n`);
}

/** Throws a UserError for a model that cannot be called. */
export function checkModel(name: string, baseUrl: string | undefined, where: string): void {
  const { provider } = readModelName(name, where);
  const known = wantedBaseUrl(name, loadSettings(signalboxHome()));
  checkedUrl(provider, baseUrl ?? known ?? usualUrl(provider, process.env));
}

/** What the user should know about a model that was just chosen. */
export function modelNotes(name: string, droppedUrl: boolean): readonly string[] {
  const { provider, id } = readModelName(name, "--set");
  const overriding = process.env["SIGNALBOX_MODEL"] ?? "";
  return [
    ...(droppedUrl ? ["base_url was removed from the settings, because it is the address of another provider"] : []),
    ...(hasKey(provider) ? [] : [`no key for ${provider.name} is set yet: export ${provider.keyVariables[0] ?? ""}=…`]),
    ...(modelRow(provider.name, id) === undefined
      ? [`${name} is not in the catalogue: ${amount(DEFAULT_PROMPT)} tokens are assumed, and its cost is unknown`]
      : []),
    ...(overriding === "" || overriding === name
      ? []
      : [`SIGNALBOX_MODEL is set to ${overriding} and is used instead`]),
  ];
}

/** How a model's thinking is set, in a few words. */
export function thinkingText(thinking: Thinking): string {
  switch (thinking.kind) {
    case "none":
      return "no";
    case "budget":
      return `${amount(thinking.most)} tokens`;
    default:
      return `${thinking.levels[0] ?? ""} to ${thinking.levels.at(-1) ?? ""}`;
  }
}

/** Input, output, cache read and cache write. */
export function priceText(price: Price | undefined): string {
  if (price === undefined) return "unknown";
  const { input, output, cacheRead, cacheWrite } = price;
  return [input, output, cacheRead, cacheWrite].map((rate) => rate.toFixed(3).padStart(8)).join("");
}
