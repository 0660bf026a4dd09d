import * as z from "zod";
import type { Tool } from "../../contract/tool.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import type { ServerTool } from "./listed-tools.ts";
import type { LiveServer } from "./live-server.ts";
import { type ResultPlace, serverTool } from "./server-tool.ts";

export interface OfferParts extends Omit<ResultPlace, "server"> {
  readonly servers: readonly LiveServer[];
}

/** More tools than this, or larger ones, are offered only after the model has searched for them. */
const MAX_TOOLS = 30;

const MAX_BYTES = 24_000;

interface Offer {
  readonly tool: Tool;
  readonly judged: string;
  readonly server: string;
  readonly bytes: number;
}

/** Which tools of the servers a model sees. Called in every turn; a tool is the same object until it changes. */
export function openOffers(parts: OfferParts) {
  const words = serverWords(parts.servers);
  const made = new Map<readonly ServerTool[], readonly Offer[]>();
  const judged = new Map<string, string>();
  const wanted = new Set<string>();
  const current = (): readonly Offer[] => {
    const taken = new Set<string>();
    return parts.servers.flatMap((server) => {
      const { tools } = server.list;
      if (!made.has(tools)) made.set(tools, offersOf(server, words.get(server) ?? server.name, { ...parts, taken }));
      const offers = made.get(tools) ?? [];
      for (const { tool } of offers) taken.add(tool.name);
      for (const offer of offers) judged.set(offer.tool.name, offer.judged);
      return offers;
    });
  };
  const search = searchTool({
    servers: parts.servers.map(({ name }) => name),
    async all(signal) {
      const starting = Promise.all(parts.servers.filter(({ list }) => !list.isKnown).map((server) => server.start()));
      await Promise.race([
        starting,
        new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true })),
      ]);
      return current().map(({ tool, server }) => ({ wire: tool.name, server, description: tool.description }));
    },
    offer: (wires) => wires.forEach((wire) => wanted.add(wire)),
  });
  return {
    tools(): readonly Tool[] {
      const offers = current();
      const bytes = offers.reduce((sum, offer) => sum + offer.bytes, 0);
      const isSmall = offers.length <= MAX_TOOLS && bytes <= MAX_BYTES;
      // What was offered stays, because the model may count on it.
      if (isSmall) for (const { tool } of offers) wanted.add(tool.name);
      const shown = offers.map(({ tool }) => tool).filter(({ name }) => wanted.has(name));
      return isSmall ? shown : [search, ...shown];
    },
    judgedName: (name: string) => judged.get(name) ?? name,
  };
}

interface MakeParts extends Omit<ResultPlace, "server"> {
  readonly taken: ReadonlySet<string>;
}

function offersOf(server: LiveServer, word: string, { taken, ...place }: MakeParts): readonly Offer[] {
  const names = new Set(taken);
  return server.list.tools.map((each) => {
    const wire = wireName(word, each.name, names);
    names.add(wire);
    const tool = serverTool(wire, each, { ...place, server });
    const bytes = wire.length + tool.description.length + JSON.stringify(each.schema).length;
    return { tool, judged: judgedName(word, each.name, wire), server: server.name, bytes };
  });
}

/** Two servers never share a word, or a rule about one would count for the other. */
function serverWords(servers: readonly LiveServer[]): ReadonlyMap<LiveServer, string> {
  const taken = new Set<string>();
  return new Map(
    servers.map((server) => {
      let word = serverWord(server.name);
      for (let count = 2; taken.has(word.toLowerCase()); count++) word = `${serverWord(server.name)}-${count}`;
      taken.add(word.toLowerCase());
      return [server, word];
    }),
  );
}

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
const searchTool = ({ servers, all, offer }: SearchParts): Tool<typeof Input> => ({
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

const MAX_NAME = 64;

/** The part of a server's name in the names of its tools. It never contains `__`, which separates it from the tool. */
export function serverWord(name: string): string {
  const word = name.replace(/[^A-Za-z0-9-]+/g, "_").replace(/^[_-]+|_+$/g, "");
  return word === "" ? `server_${mark(name)}` : word.slice(0, 32).replace(/_+$/, "");
}

/** A tool's name for models: letters, digits, `_` and `-`, at most 64 of them, and unlike every other in `taken`. */
export function wireName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `mcp__${server}__${tool}`;
  const isFit = /^[\w-]+$/.test(plain) && plain.length <= MAX_NAME && tool !== "";
  if (isFit && !taken.has(plain)) return plain;
  const end = `_${mark(tool)}`;
  const word = plain.replace(/[^\w-]+/g, "_").slice(0, MAX_NAME - end.length);
  for (let count = 0; ; count++) {
    const name = count === 0 ? `${word}${end}` : `${word.slice(0, MAX_NAME - end.length - 4)}${end}_${count}`;
    if (!taken.has(name)) return name;
  }
}

/**
 * The name by which the guard judges a tool, so that patterns such as `mcp:SERVER/TOOL` see what the server calls it. A
 * name that no pattern could be written for is judged as models see it.
 */
export function judgedName(server: string, tool: string, wire: string): string {
  return /^[\w-](?:[\w-]|\.(?!\.)){0,127}$/.test(tool) ? `mcp__${server}__${tool}` : wire;
}

const mark = (text: string) => sha256(text).slice(0, 8);
