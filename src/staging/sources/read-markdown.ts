import { parse } from "yaml";
import { isRecord } from "../../lib/is-record.ts";

/** A Markdown file with front matter, the format of agents and commands. */
export interface MarkdownFile {
  readonly name: string;
  readonly text: string;
  readonly description: string;
  readonly body: string;
  readonly problem?: string;
}

const MAX_DESCRIPTION = 400;

/** Parses the front matter between two `---` lines. Without a description, the start of the text is used. */
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
    // Reported below.
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
