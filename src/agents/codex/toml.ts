import { tomlString } from "../../lib/inline-toml.ts";

/** One line `key = "…"` of TOML. */
export const tomlLine = (key: string, value: string) => `${tomlKey(key)} = ${tomlString(value)}`;

export const tomlKey = (key: string) => (/^[\w-]+$/.test(key) ? key : tomlString(key));

export const tomlStrings = (texts: readonly string[]) => `[${texts.map(tomlString).join(", ")}]`;

/** A multi-line text, unchanged. */
export function tomlText(key: string, text: string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', '""\\"')
    .replaceAll(
      /[^\P{Cc}\n\t]/gu,
      (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
    );
  return `${key} = """\n${escaped.endsWith('"') ? `${escaped.slice(0, -1)}\\"` : escaped}"""`;
}
