import { isLoopbackHost } from "../lib/net/ip-address.ts";
import { nearest } from "../lib/text/nearest.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { CATALOG, modelRow } from "./catalog/catalog.ts";
import type { Model } from "./model.ts";

/** A model's address and how to ask it. Contains the key, so never print this. */
export interface ModelChoice {
  readonly provider: string;
  readonly wire: WireName;
  readonly id: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  /** The variable that the key came from, or would come from. */
  readonly keyVariable: string | undefined;
}

interface Wanted {
  /** `provider/model`; defaults to `SIGNALBOX_MODEL`. */
  readonly name?: string | undefined;
  /** Where the name was given, for messages about it; defaults to `--model`. */
  readonly place?: string;
  readonly baseUrl?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Resolves the model the user asked for. Keys come only from the environment. */
export function chooseModel({ name, place = "--model", baseUrl, environment }: Wanted): ModelChoice {
  const where = name === undefined ? "SIGNALBOX_MODEL" : place;
  const full = name ?? environment["SIGNALBOX_MODEL"] ?? "";
  if (full === "" && place === "--model") throw unchosen(environment);
  const { provider, id } = readModelName(full, where);
  const address = checkedUrl(provider, baseUrl ?? usualUrl(provider, environment));
  const variable = provider.keyVariables.find((candidate) => (environment[candidate] ?? "") !== "");
  const key = readKey(
    provider,
    address,
    variable === undefined ? undefined : { variable, text: environment[variable] },
  );
  const keyVariable = variable ?? provider.keyVariables[0];
  return { provider: provider.name, wire: provider.wire, id, baseUrl: address, key, keyVariable };
}

/** The provider and the id in `provider/model`. Throws a UserError for anything else. */
export function readModelName(full: string, where: string): { readonly provider: Provider; readonly id: string } {
  const slash = full.indexOf("/");
  const provider = providerNamed(full.slice(0, Math.max(0, slash)));
  if (provider === undefined) throw unknownProvider(full, where);
  const id = full.slice(slash + 1);
  if (/^[\w.:@+-]+(?:\/[\w.:@+-]+)*$/.test(id) && id.length <= 200 && !id.includes("..")) return { provider, id };
  throw new UserError(`not a model name: ${full.slice(0, 200)}`, {
    where,
    fix: "use provider/model, for example anthropic/claude-haiku-4-5",
  });
}

/** A provider's address when no flag sets it; undefined when nothing does. */
export function usualUrl(provider: Provider, environment: Wanted["environment"]): string | undefined {
  return environment[provider.baseUrlVariable ?? ""] ?? provider.baseUrl;
}

function unchosen(environment: Wanted["environment"]): UserError {
  const keyed = keyedProviders(environment).map(({ provider }) => provider.name);
  const keys = keyed.length === 0 ? "" : ` (a key is set for ${keyed.join(", ")})`;
  const suggested = suggestedModels(environment);
  const models = suggested.length === 0 ? ["anthropic/claude-haiku-4-5", "ollama/qwen3"] : suggested;
  return new UserError(`no model selected${keys}`, {
    where: "--model, SIGNALBOX_MODEL",
    isAboutAccess: true,
    fix: `choose one, such as ${models.map((name) => `--model ${name}`).join(" or ")}; to keep the choice: signalbox models --set ${models[0]}; signalbox models lists providers`,
  });
}

function unknownProvider(full: string, where: string): UserError {
  const names = PROVIDERS.map(({ name }) => name);
  const near = nearest(full.split("/")[0] ?? "", names);
  return new UserError(`unknown provider before the first slash of "${full.slice(0, 100)}"`, {
    where,
    fix: `${near === undefined ? "" : `did you mean ${near}/…? `}use provider/model; the providers are ${names.join(", ")}`,
  });
}

/** A base URL that a key may be sent to: https, or http on this machine, without secrets in it. */
export function checkedUrl({ name, wire }: Provider, text: string | undefined): string {
  if (text === undefined || text === "") {
    throw new UserError(`${name} has no default address`, {
      where: "--base-url, SIGNALBOX_BASE_URL",
      fix: "pass one, for example --base-url http://127.0.0.1:8080/v1",
    });
  }
  const url = URL.parse(text);
  const advice = { where: `the base URL of ${name}`, fix: "use https://host/path, or http:// on this machine" };
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new UserError("the base URL must be http or https", advice);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new UserError("the base URL contains a user name, a password, a query or a fragment", advice);
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path}${versionFor(wire, path)}`;
}

/** People write these two addresses without the version, as their other tools expect them. */
function versionFor(wire: WireName, path: string): string {
  if (/\/v\d[\w.]*$/.test(path)) return "";
  if (wire === "anthropic") return "/v1";
  return wire === "google" ? "/v1beta" : "";
}

interface KeyInPlace {
  readonly variable: string;
  readonly text: string | undefined;
}

function readKey(provider: Provider, address: string, found: KeyInPlace | undefined): string | undefined {
  const { name, keyVariables } = provider;
  const key = found?.text?.trim();
  const local = isLoopbackHost(new URL(address).hostname);
  if (key === undefined) {
    if (keyVariables.length === 0 || local || name === "compatible") return undefined;
    throw new UserError(`no API key for ${name}`, {
      where: keyVariables.join(" or "),
      fix: `export ${keyVariables[0] ?? ""}=…`,
      isAboutAccess: true,
      exitCode: EXIT.refused,
    });
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UserError(`the key of ${name} contains characters that are not allowed in a header`, {
      where: found?.variable ?? "",
      fix: "copy it again, without line breaks",
    });
  }
  if (address.startsWith("http:") && !local) {
    throw new UserError(`the key of ${name} would be sent unencrypted`, {
      where: `the base URL of ${name}`,
      fix: "use https://",
      exitCode: EXIT.refused,
    });
  }
  return key;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface DefaultModel {
  readonly name: string;
  /** The variable that contains the key of its provider. */
  readonly keyVariable: string;
}

/** The model to use if nothing else is chosen. Undefined unless exactly one provider has a key, and a default model. */
export function defaultModel(environment: Environment): DefaultModel | undefined {
  const [only, ...others] = keyedProviders(environment);
  if (only === undefined || others.length > 0) return undefined;
  const name = defaultOf(only.provider);
  return name === undefined ? undefined : { name, keyVariable: only.keyVariable };
}

/** Default models of the providers that have a key. */
export const suggestedModels = (environment: Environment): readonly string[] =>
  keyedProviders(environment).flatMap(({ provider }) => defaultOf(provider) ?? []);

/** Providers whose key is set. Of two that share a key, the first. */
export function keyedProviders(environment: Environment): readonly { provider: Provider; keyVariable: string }[] {
  const keyed = PROVIDERS.flatMap((provider) => {
    const keyVariable = provider.keyVariables.find((variable) => (environment[variable] ?? "").trim() !== "");
    return keyVariable === undefined ? [] : [{ provider, keyVariable }];
  });
  return keyed.filter(
    ({ keyVariable }, index) => keyed.findIndex((other) => other.keyVariable === keyVariable) === index,
  );
}

function defaultOf({ name }: Provider): string | undefined {
  const row = CATALOG.find(({ provider, isDefault }) => provider === name && isDefault === true);
  return row === undefined ? undefined : `${name}/${row.model}`;
}

/** The protocols for asking models. `compatible` is Chat Completions as spoken by servers other than OpenAI's. */
export type WireName = "anthropic" | "responses" | "chat" | "compatible" | "google";

export interface Provider {
  readonly name: string;
  readonly wire: WireName;
  /** Undefined: the user must give one. */
  readonly baseUrl: string | undefined;
  /** The variable that can contain another base URL. */
  readonly baseUrlVariable?: string;
  /** Variables that can contain the key; the first one set wins. None: no key is needed. */
  readonly keyVariables: readonly string[];
}

const compatible = (name: string, baseUrl: string | undefined, keyVariables: readonly string[] = []): Provider => ({
  name,
  wire: "compatible",
  baseUrl,
  keyVariables,
});

const openai = {
  baseUrl: "https://api.openai.com/v1",
  baseUrlVariable: "OPENAI_BASE_URL",
  keyVariables: ["OPENAI_API_KEY"],
};

/** Every provider that can appear before the slash in a model's name. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: "anthropic",
    wire: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    keyVariables: ["ANTHROPIC_API_KEY"],
  },
  { name: "openai", wire: "responses", ...openai },
  { name: "openai-chat", wire: "chat", ...openai },
  {
    name: "google",
    wire: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  },
  compatible("openrouter", "https://openrouter.ai/api/v1", ["OPENROUTER_API_KEY"]),
  compatible("deepseek", "https://api.deepseek.com/v1", ["DEEPSEEK_API_KEY"]),
  compatible("groq", "https://api.groq.com/openai/v1", ["GROQ_API_KEY"]),
  compatible("mistral", "https://api.mistral.ai/v1", ["MISTRAL_API_KEY"]),
  compatible("xai", "https://api.x.ai/v1", ["XAI_API_KEY"]),
  compatible("ollama", "http://127.0.0.1:11434/v1"),
  compatible("llamacpp", "http://127.0.0.1:8080/v1"),
  compatible("vllm", "http://127.0.0.1:8000/v1"),
  { ...compatible("compatible", undefined, ["SIGNALBOX_API_KEY"]), baseUrlVariable: "SIGNALBOX_BASE_URL" },
];

const providerNamed = (name: string): Provider | undefined => PROVIDERS.find((provider) => provider.name === name);

/**
 * Other models at the same address and with the same key as the chosen one. Another provider is never used: the user
 * chose where this work is sent.
 */
export interface OtherModels {
  /** The small model of the provider; undefined if none is known. */
  readonly small: () => Model | undefined;
  /** A model by its id, or by a word such as `haiku`; or why it cannot be used. */
  readonly named: (name: string) => Model | { readonly why: string };
}

/** The best small model of each provider in the catalogue. */
const SMALL: Readonly<Record<string, string>> = {
  anthropic: "claude-haiku-5-5",
  openai: "gpt-5.6-luna",
  "openai-chat": "gpt-5-mini",
  google: "gemini-3.8-flash",
  deepseek: "deepseek-flash",
};

export function otherModels(choice: ModelChoice, open: (choice: ModelChoice) => Model): OtherModels {
  const { provider, id, baseUrl } = choice;
  const opened = new Map<string, Model>();
  const model = (other: string) => {
    const known = opened.get(other) ?? open({ ...choice, id: other });
    opened.set(other, known);
    return known;
  };
  // A server of the user's own may have other models than the provider.
  const isUsual = providerNamed(provider)?.baseUrl === baseUrl;
  return {
    small: () => {
      const small = isUsual ? SMALL[provider] : undefined;
      return small === undefined || !isCheaper(small, id, provider) ? undefined : model(small);
    },
    named(name) {
      const wanted = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
      if (wanted === id) return model(id);
      const known = modelRow(provider, wanted) === undefined ? byWord(provider, wanted) : wanted;
      return known !== undefined ? model(known) : { why: `${provider} has no model ${name} that is known here` };
    },
  };
}

/** A price that is unknown cannot be compared, and then the smaller model counts as cheaper. */
function isCheaper(small: string, id: string, provider: string): boolean {
  const [one, other] = [small, id].map((name) => modelRow(provider, name)?.price?.input);
  return small !== id && (one === undefined || other === undefined || one < other);
}

/** The first model of a provider whose name has this word in it, such as `haiku` or `flash`. */
function byWord(provider: string, word: string): string | undefined {
  const owner = provider === "openai-chat" ? "openai" : provider;
  return CATALOG.find((row) => row.provider === owner && row.model.split(/[-/]/).includes(word.toLowerCase()))?.model;
}
