import * as z from "zod";
import type { OfferedTool } from "./script/incoming-request.ts";

/** The name and input that make the offered shell tool run `command`; undefined when none is offered. */
export function shellCall(command: string, tools: readonly OfferedTool[]): ShellCall | undefined {
  for (const name of SHELL_TOOLS) {
    const tool = tools.find((candidate) => candidate.name === name);
    const input = tool && inputFor(command, tool.schema);
    if (input) return { name, input };
  }
  const code = tools.some((tool) => tool.name === "exec" && tool.freeText);
  return code
    ? { name: "exec", input: `text(await tools.exec_command(${JSON.stringify({ cmd: command })}))` }
    : undefined;
}

interface ShellCall {
  readonly name: string;
  /** Text for Codex's code mode, whose only tool runs JavaScript. */
  readonly input: string | Readonly<Record<string, unknown>>;
}

/** Claude; Copilot, opencode and pi; Codex; Gemini; then older names of Codex and what other agents use. */
const SHELL_TOOLS = [
  "Bash",
  "bash",
  "exec_command",
  "run_shell_command",
  "shell_command",
  "shell",
  "execute",
  "terminal",
];

const Property = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
});
const Schema = z.looseObject({
  properties: z.record(z.string(), Property),
  required: z.array(z.string()).default([]),
});

function inputFor(command: string, schema: unknown): ShellCall["input"] | undefined {
  const parsed = Schema.safeParse(schema);
  if (!parsed.success) return undefined;
  const { properties, required } = parsed.data;
  const key = ["command", "cmd"].find((name) => name in properties);
  if (key === undefined) return undefined;

  // Claude and Copilot show a description to the person; it is filled in even where it is optional.
  const wanted = new Set([...required, ...("description" in properties ? ["description"] : [])]);
  wanted.delete(key);
  const words = typeOf(properties[key]) === "array" ? ["bash", "-lc", command] : command;
  return { [key]: words, ...Object.fromEntries([...wanted].map((name) => [name, fillerFor(properties[name])])) };
}

/** A value that the property's schema accepts. */
function fillerFor(property: z.infer<typeof Property> | undefined): unknown {
  if (property?.default !== undefined) return property.default;
  if (property?.enum?.[0] !== undefined) return property.enum[0];
  switch (typeOf(property)) {
    case "boolean":
      return false;
    case "number":
    case "integer":
      return 1;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "Run the scripted command";
  }
}

/** The schema's type in lower case, because Gemini uses upper case. */
function typeOf(property: z.infer<typeof Property> | undefined): string {
  return ([property?.type ?? "string"].flat()[0] ?? "string").toLowerCase();
}
