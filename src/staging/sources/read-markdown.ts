import { parse } from "yaml";
import { isRecord } from "../../lib/is-record.ts";

/** A Markdown file with settings before its text, as agents and commands are written. */
export interface MarkdownFile {
  readonly name: string;
  readonly text: string;
  readonly description: string;
  readonly body: string;
  readonly problem?: string;
}

const MAX_DESCRIPTION = 400;

/** Reads the settings between two lines of `---`. Without a description the first words of the text are one. */
export function readMarkdown(name: string, text: string): MarkdownFile {
  const [, settings, below] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)([\s\S]*)$/.exec(text) ?? [];
  const body = (below ?? text).trim();
  const described = (description: unknown) =>
    typeof description === "string" && description.trim() !== "" ? description.trim() : firstWords(body, name);
  if (settings === undefined) return { name, text, body, description: described(undefined) };
  try {
    const fields: unknown = parse(settings, { maxAliasCount: 0 });
    if (isRecord(fields)) return { name, text, body, description: described(fields["description"]) };
  } catch {
    // Said below.
  }
  return { name, text, body, description: "", problem: "its front matter is not valid YAML" };
}

function firstWords(body: string, name: string): string {
  const line = body.split("\n").find((candidate) => candidate.trim() !== "");
  return (line ?? name)
    .replace(/^#+\s*/, "")
    .trim()
    .slice(0, MAX_DESCRIPTION);
}
