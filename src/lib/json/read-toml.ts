import { parse } from "smol-toml";

/** The table of a TOML text; undefined for one that is none. */
export function parseToml(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    return text === undefined ? undefined : parse(text);
  } catch {
    return undefined;
  }
}
