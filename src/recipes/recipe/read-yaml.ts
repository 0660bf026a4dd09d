import { readYaml as readYamlText, type YamlDocument } from "../../lib/json/read-yaml.ts";

/** The limit of the recipe format, inclusive. */
export const MAX_RECIPE_BYTES = 1_000_000;

/** The exit code for a recipe that cannot be parsed. */
export const RECIPE_INVALID = 2;

/** Parses the YAML of a recipe. */
export const readYaml = (text: string, name: string): YamlDocument =>
  readYamlText(text, {
    name,
    what: "the recipe",
    maxBytes: MAX_RECIPE_BYTES,
    tooLarge: "split it into several recipes",
  });
