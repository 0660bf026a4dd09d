import { printable } from "../lib/printable.ts";
import { EXIT } from "../lib/user-error.ts";
import { chooseModel, usualUrl } from "../models/choose-model.ts";
import { PRICES, PRICES_AS_OF } from "../models/prices.ts";
import { PROVIDERS } from "../models/providers.ts";
import { printJson } from "./flags.ts";
import type { CommandModule } from "./command-module.ts";

/** `signalbox models`: the providers, whether each has a key, and known prices. Sends no requests. */
export const command: CommandModule = {
  configure(command) {
    command
      .argument("[name]", "provider/model: show how it would be called")
      .option("--base-url <url>", "base URL of the provider")
      .option("--json", "print JSON")
      .addHelpText("after", "\nExamples:\n  signalbox models\n  signalbox models anthropic/claude-haiku-4-5");
  },

  async run({ words, flags }) {
    const [name] = words;
    if (name !== undefined) return showOne(name, flags);
    const providers = PROVIDERS.map((provider) => ({
      provider: provider.name,
      wire: provider.wire,
      baseUrl: usualUrl(provider, process.env) ?? null,
      ...keyOf(provider),
    }));
    if (flags["json"] === true) printJson({ providers, pricesAsOf: PRICES_AS_OF, prices: PRICES });
    else process.stdout.write(`${[...providers.map(providerLine), "", ...priceLines()].join("\n")}\n`);
    return EXIT.ok;
  },
};

const keyOf = ({ keyVariables }: (typeof PROVIDERS)[number]) => ({
  keyVariables,
  key: keyVariables.length === 0 ? "not needed" : keyVariables.some((key) => process.env[key]) ? "set" : "not set",
});

function showOne(name: string, flags: Readonly<Record<string, unknown>>): number {
  const base = flags["baseUrl"];
  const baseUrl = typeof base === "string" ? base : undefined;
  const wanted = { name, place: "the argument of models", baseUrl, environment: process.env };
  const { provider, wire, id, baseUrl: address, key } = chooseModel(wanted);
  const known = { provider, model: id, wire, baseUrl: address, key: key === undefined ? "none" : "set" };
  if (flags["json"] === true) printJson(known);
  else
    for (const [field, value] of Object.entries(known)) process.stdout.write(`${field.padEnd(9)}${printable(value)}\n`);
  return EXIT.ok;
}

interface Line {
  readonly provider: string;
  readonly wire: string;
  readonly baseUrl: string | null;
  readonly keyVariables: readonly string[];
  readonly key: string;
}

const providerLine = ({ provider, wire, baseUrl, keyVariables, key }: Line) =>
  `${provider.padEnd(12)} ${wire.padEnd(11)} ${printable(baseUrl ?? "(--base-url)").padEnd(50)} ${keyVariables[0] ?? "no key"}: ${key}`;

const priceLines = () => [
  `Prices as of ${PRICES_AS_OF}, in US dollars per million tokens (input, output, cache read, cache write):`,
  ...PRICES.map(
    ({ provider, model, input, output, cacheRead, cacheWrite }) =>
      `${`${provider}/${model}`.padEnd(32)} ${[input, output, cacheRead, cacheWrite].map((rate) => rate.toFixed(3).padStart(8)).join("")}`,
  ),
  "Other models work too, but their cost is unknown.",
];
