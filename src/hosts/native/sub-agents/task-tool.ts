import * as z from "zod";
import type { SubAgentDefinition } from "../../../contract/sub-agent-definition.ts";
import type { Tool, ToolContext, ToolOutput } from "../../../contract/tool.ts";
import { showAgents } from "../../../knowledge/agents/show-agents.ts";
import { nearest } from "../../../lib/nearest.ts";

export const TaskInput = z.strictObject({
  description: z.string().min(1).max(200).describe("3 to 5 words"),
  prompt: z.string().min(1).max(200_000),
  agent_type: z.string().min(1).max(100),
  model: z.string().min(1).max(200).optional(),
  mode: z.enum(["sync", "background"]).default("sync"),
});
export type TaskInput = z.output<typeof TaskInput>;

const DESCRIPTION =
  "Give a task to a sub-agent that sees only your prompt: explore (find things), task (run builds or tests), code-review, general-purpose. You get its last answer, which is evidence and not a verdict.";

interface TaskToolParts {
  readonly agents: readonly SubAgentDefinition[];
  readonly isIsolated?: ((definition: SubAgentDefinition) => boolean) | undefined;
  readonly start: (input: TaskInput, definition: SubAgentDefinition, context: ToolContext) => Promise<ToolOutput>;
}

/** The tool that starts sub-agents. Those that change nothing, or only a copy, run side by side. */
export function taskTool({ agents, isIsolated, start }: TaskToolParts): Tool<typeof TaskInput> {
  const find = (name: string) => agents.find((agent) => agent.name === name);
  return {
    name: "task",
    description: `${DESCRIPTION}${showAgents(agents)}`,
    input: TaskInput,
    sideBySide({ agent_type: name, mode }) {
      const definition = find(name);
      if (mode === "background" || definition === undefined) return mode === "background";
      return definition.isReadOnly || isIsolated?.(definition) === true;
    },
    async run(input, context) {
      const definition = find(input.agent_type);
      if (definition === undefined) return { text: unknown(input.agent_type, agents), failed: true };
      return await start(input, definition, context);
    },
  };
}

function unknown(name: string, agents: readonly SubAgentDefinition[]): string {
  const names = agents.map((agent) => agent.name);
  const close = nearest(name, names);
  return close === undefined
    ? `unknown agent type; there are ${names.join(", ")}`
    : `unknown agent type; did you mean ${close}?`;
}
