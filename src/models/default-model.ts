import { CATALOG } from "./catalog/catalog.ts";
import { type Provider, PROVIDERS } from "./providers.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface DefaultModel {
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
