import { isRecord } from "../../lib/is-record.ts";
import { printableLine } from "../../lib/printable.ts";
import { screen } from "../../screen/screen.ts";
import { tidySchema } from "./tidy-schema.ts";

/** A tool of a server, as far as it is fit to be shown to a model. */
export interface ServerTool {
  /** As the server calls it. */
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ReadTools {
  readonly tools: readonly ServerTool[];
  /** What was left out and why, for the person. */
  readonly notes: readonly string[];
}

const MAX_NAME = 256;
const MAX_DESCRIPTION = 1024;
/** How much of a description is screened; it may hide something behind what would be shown. */
const MAX_SCREENED = 16_384;
/** To screen more than that takes seconds, and no model could use it. */
const MAX_BYTES = 500_000;
const DESCRIPTION = "mcp_tool_description";

/** The tools in a server's list. What cannot be used, or tries to steer the agent, is left out and said. */
export function readTools(list: readonly unknown[], server: string): ReadTools {
  const tools = new Map<string, ServerTool>();
  const notes: string[] = [];
  let bytes = 0;
  for (const item of list) {
    if (bytes > MAX_BYTES) {
      const count = `only the first ${tools.size} of ${list.length} are used`;
      notes.unshift(
        `the MCP server ${server} offers more than ${MAX_BYTES.toLocaleString("en")} bytes of tools; ${count}`,
      );
      break;
    }
    const name = isRecord(item) ? usableName(item["name"]) : undefined;
    if (!isRecord(item) || name === undefined) {
      notes.push(`the MCP server ${server} offers a tool without a usable name, which is left out`);
      continue;
    }
    const shown = printableLine(name).slice(0, 80);
    if (tools.has(name)) {
      notes.push(`the MCP server ${server} offers ${shown} twice; the first one is used`);
      continue;
    }
    const schema = tidySchema(item["inputSchema"]);
    if (schema === undefined) notes.push(`the schema of ${shown} of the MCP server ${server} is too large to show`);
    const { text, isLeftOut, screened } = readText(item["description"]);
    const words = texts(schema);
    bytes += screened + words.length;
    const isHonest = !isLeftOut && !isSteering(words);
    if (!isHonest)
      notes.push(`the MCP server ${server} describes ${shown} with instructions for the agent, which are left out`);
    tools.set(name, {
      name,
      description: isHonest ? text : "",
      schema: isHonest && schema !== undefined ? schema : { type: "object", properties: {} },
    });
  }
  return { tools: [...tools.values()], notes: few(notes) };
}

const usableName = (name: unknown): string | undefined =>
  typeof name === "string" && name !== "" && name.length <= MAX_NAME && name.isWellFormed() ? name : undefined;

/** A text of a server that goes into a prompt: bounded, and left out if it tries to steer the agent. */
export function readInstructions(text: string | undefined): { readonly text: string; readonly isLeftOut: boolean } {
  // They are written for agents, so that they speak to one is no sign of an attack.
  return readText(text, 2048, "rules_file");
}

function readText(given: unknown, most = MAX_DESCRIPTION, channel = DESCRIPTION) {
  const text = typeof given === "string" ? given.trim() : "";
  // More of it is screened than would be shown.
  const start = text.slice(0, MAX_SCREENED);
  const screened = start.length;
  if (isSteering(start, channel)) return { text: "", isLeftOut: true, screened };
  return { text: (text.length > most ? `${text.slice(0, most)}…` : text).toWellFormed(), isLeftOut: false, screened };
}

/** In a description, `silently` and `without warning` are already a medium risk. */
function isSteering(text: string, channel = DESCRIPTION): boolean {
  const { risk } = screen(text, { channel });
  return risk === "high" || risk === "critical" || (risk === "medium" && channel !== DESCRIPTION);
}

/** Every text in a schema: descriptions of parameters are a way to steer, too. */
function texts(schema: unknown): string {
  if (typeof schema === "string") return schema;
  if (Array.isArray(schema)) return schema.map(texts).join("\n");
  return isRecord(schema) ? Object.values(schema).map(texts).join("\n") : "";
}

const MAX_NOTES = 3;

const few = (notes: readonly string[]) =>
  notes.length <= MAX_NOTES ? notes : [...notes.slice(0, MAX_NOTES), `and ${notes.length - MAX_NOTES} more such tools`];
