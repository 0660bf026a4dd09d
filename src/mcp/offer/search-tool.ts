import * as z from "zod";
import type { Tool } from "../../contract/tool.ts";

/** A tool that can be found. */
interface FindableTool {
  readonly wire: string;
  readonly server: string;
  readonly description: string;
}

interface SearchParts {
  readonly servers: readonly string[];
  /** All tools that are known now; it may start servers first. */
  readonly all: (signal: AbortSignal) => Promise<readonly FindableTool[]>;
  /** Offers these tools from the next turn on. */
  readonly offer: (wires: readonly string[]) => void;
}

const Input = z.strictObject({ query: z.string().min(1).max(500) });
const MAX_FOUND = 10;
const MAX_LINE = 200;

/** Finds tools of servers whose lists are too large to be offered with every request. */
export const searchTool = ({ servers, all, offer }: SearchParts): Tool<typeof Input> => ({
  name: "mcp_search",
  description: `Find tools of the MCP servers ${servers.join(", ").slice(0, 300)} by words. What it finds can be called from your next turn on.`,
  input: Input,
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  sideBySide: false,
  async run({ query }, { signal }) {
    const tools = await all(signal);
    const found = rank(query, tools).slice(0, MAX_FOUND);
    if (found.length === 0)
      return { text: `nothing found among ${tools.length} tools; try other words`, failed: false };
    offer(found.map(({ wire }) => wire));
    const lines = found.map(
      ({ wire, description }) => `${wire}: ${description.split("\n")[0]?.slice(0, MAX_LINE) ?? ""}`,
    );
    return { text: `From your next turn on you can call:\n${lines.join("\n")}`, failed: false };
  },
});

/** The tools with words of the query, best first; a word in the name counts more than one in the description. */
function rank(query: string, tools: readonly FindableTool[]): readonly FindableTool[] {
  const words = [
    ...new Set(
      query
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word.length > 1),
    ),
  ];
  const points = ({ wire, description }: FindableTool) => {
    const [name, text] = [wire.toLowerCase(), description.toLowerCase()];
    return words.reduce((sum, word) => sum + (name.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0), 0);
  };
  return tools
    .map((tool) => ({ tool, score: tool.wire === query ? Infinity : points(tool) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ tool }) => tool);
}
