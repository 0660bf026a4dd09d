import type { TextDialect } from "../../agents/pack/surfaces.ts";
import type { MarkdownFile } from "../../lib/read-markdown.ts";
import { translateTools } from "./translate-tools.ts";

interface Target {
  readonly dialect: TextDialect;
  readonly title: string;
}

/** The front matter of an agent, in another agent's words. */
interface TranslatedAgent {
  /** Keys to change; undefined ones are removed. */
  readonly changed: Readonly<Record<string, unknown>>;
  readonly model: string | undefined;
  /** What the user should know, if anything. */
  readonly note?: string;
}

/** Translates the tools and the model of an agent. Refused when it would be able to do more than its author allows. */
export function translateAgent(
  { fields }: MarkdownFile,
  target: Target,
): TranslatedAgent | { readonly refused: string } {
  const { title, dialect } = target;
  const limited = translateTools(fields, target);
  if ("refused" in limited) return limited;
  if (fields["permissionMode"] === "plan" && !dialect.forbidsTools)
    return { refused: `it only plans (permissionMode), and ${title} cannot limit an agent to that` };
  const changed: Record<string, unknown> = {};
  for (const key of ["tools", "disallowedTools"] as const) {
    const { [key]: words } = limited;
    if (String(words) !== String(asWords(fields[key]))) changed[key] = words;
  }
  const named = fields["model"];
  const model = typeof named === "string" ? dialect.model(named) : undefined;
  if (named !== undefined && model !== named) changed["model"] = model;
  const isLost = named !== undefined && named !== "inherit" && model === undefined;
  return { changed, model, ...(isLost ? { note: `${title} has no model ${JSON.stringify(named)}` } : {}) };
}

const asWords = (value: unknown): unknown => (typeof value === "string" ? value.split(/\s*,\s*/) : value);

const ARGUMENTS = /\$(?:ARGUMENTS\b|[1-9](?!\d))/;
const COMMANDS = /!`[^`\n]+`|```!/;

/** For an agent that does not fill in such a text itself: says what its marks mean, so that the model does it. */
export function withMarksExplained(body: string, isCommand: boolean): string {
  const sentences = [
    ...((isCommand ? ARGUMENTS.test(body) : body.includes("$ARGUMENTS"))
      ? ["`$ARGUMENTS` stands for what the user wrote after the name of this command, and `$1`, `$2` for its words."]
      : []),
    ...(COMMANDS.test(body)
      ? ["Before you begin, run each command that is marked as !`command` and use its output in that place."]
      : []),
  ];
  return sentences.length === 0 ? body : `${sentences.join(" ")}\n\n${body}`;
}
