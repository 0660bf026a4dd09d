import { parse, stringify } from "yaml";
import { isRecord } from "./json-value.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A Markdown file with front matter, the format of agents, commands and skills. */
export interface MarkdownFile {
  readonly name: string;
  /** The sub-folder that it is in, with `/`; empty for none. */
  readonly folder: string;
  readonly text: string;
  readonly description: string;
  /** The keys of its front matter. */
  readonly fields: Fields;
  readonly body: string;
  readonly problem?: string;
}

const MAX_DESCRIPTION = 400;
const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)([\s\S]*)$/;

/** Parses the front matter between two `---` lines. Without a description, the start of the text is used. */
export function readMarkdown(name: string, text: string, folder = ""): MarkdownFile {
  const [, settings, below] = FRONT_MATTER.exec(text) ?? [];
  const body = (below ?? text.replace(/^\uFEFF/, "")).trim();
  const described = (description: unknown) =>
    typeof description === "string" && description.trim() !== "" ? description.trim() : firstWords(body, name);
  const file = { name, folder, text, body };
  if (below === undefined || settings === undefined || settings.trim() === "")
    return { ...file, fields: {}, description: described(undefined) };
  const fields = parseFields(settings);
  if (fields !== undefined) return { ...file, fields, description: described(fields["description"]) };
  return { ...file, fields: {}, description: "", problem: "its front matter is not valid YAML" };
}

/** A file of these fields and this text. Undefined fields are left out. */
export function markdownOf(fields: Fields, body: string): string {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const settings = Object.keys(given).length === 0 ? "" : stringify(given, { lineWidth: 0 });
  return `---\n${settings}---\n\n${body}\n`;
}

function parseFields(settings: string): Fields | undefined {
  for (const text of [settings, settings.replaceAll(UNQUOTED, quoted)])
    try {
      const fields: unknown = parse(text, { maxAliasCount: 0, logLevel: "error" });
      if (isRecord(fields)) return fields;
    } catch {
      // Tried again with quotes.
    }
  return undefined;
}

/** Descriptions are often written without the quotes that their colons need, and agents accept that. */
const UNQUOTED = /^(description|argument-hint):[ \t]+([^"'|>\s].*)$/gm;
const quoted = (_: string, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`;

function firstWords(body: string, name: string): string {
  const line = body.split("\n").find((candidate) => candidate.trim() !== "");
  return (line ?? name)
    .replace(/^#+\s*/, "")
    .trim()
    .slice(0, MAX_DESCRIPTION);
}
