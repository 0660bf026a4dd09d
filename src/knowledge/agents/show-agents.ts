import type { SubAgentDefinition } from "../../contract/sub-agent-definition.ts";

const MAX_DESCRIBED = 60;
const MAX_LIST = 1500;

/** The sub-agents that are not built in, in one line for a tool's description; empty without any. */
export function showAgents(agents: readonly SubAgentDefinition[]): string {
  const custom = agents.filter(({ file }) => file !== undefined);
  const shown: string[] = [];
  let left = MAX_LIST;
  for (const { name, description } of custom) {
    const whole = description === "" ? name : `${name} (${cut(description)})`;
    // When space runs out, the name alone still allows its use, and beyond that it works unlisted.
    const text = whole.length < left ? whole : name;
    if (text.length > left) break;
    shown.push(text);
    left -= text.length + 2;
  }
  return shown.length === 0 ? "" : ` Also: ${shown.join(", ")}.`;
}

const cut = (text: string) => (text.length > MAX_DESCRIBED ? `${text.slice(0, MAX_DESCRIBED).toWellFormed()}…` : text);
