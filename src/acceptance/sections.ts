import type { BaseAndPresent } from "./base-and-present.ts";

/** The wanted sections of a TOML or INI file, as they are written, without blank lines and comments. */
export function sectionsOf(text: string, wanted: RegExp): string {
  return split(text)
    .filter(({ name }) => wanted.test(name))
    .map(({ lines }) => lines.filter((line) => !/^\s*(?:[#;].*)?$/.test(line)).join("\n"))
    .join("\n");
}

/** The present file with the wanted sections of the base instead of its own. */
export function withSections({ base, present }: BaseAndPresent, wanted: RegExp): string {
  const kept = split(present).filter(({ name }) => !wanted.test(name));
  const restored = split(base).filter(({ name }) => wanted.test(name));
  return [...kept, ...restored].flatMap(({ lines }) => lines).join("\n");
}

interface Section {
  readonly name: string;
  readonly lines: readonly string[];
}

/** What comes before the first header has an empty name. */
function split(text: string): readonly Section[] {
  const found: { name: string; lines: string[] }[] = [{ name: "", lines: [] }];
  for (const line of text.split("\n")) {
    const [, name] = /^\s*\[{1,2}\s*([^[\]]+?)\s*\]{1,2}\s*(?:#.*)?$/.exec(line) ?? [];
    if (name !== undefined) found.push({ name: name.replaceAll(/["']/g, ""), lines: [] });
    found.at(-1)?.lines.push(line);
  }
  return found;
}
