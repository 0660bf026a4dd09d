import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { McpServer } from "../../contract/mcp-server.ts";
import type { Tool } from "../../contract/tool.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { whenAborted } from "../../lib/process/tasks.ts";
import type { ServerSetup } from "./connection.ts";
import { type LiveServer, liveServer } from "./live-server.ts";
import { loadServers } from "./server-config.ts";
import { type OutsideTexts, type ServerTool, serverTool } from "./server-tools.ts";

/**
 * Opens the servers that are configured for a workspace and trusted, and those that an editor has `given`; undefined if
 * there are none.
 */
export function openConfigured(
  given: readonly McpServer[],
  setup: ServerSetup,
  texts: OutsideTexts,
  warn: (text: string) => void,
): McpSession | undefined {
  const { servers, notes } = loadServers(setup, given);
  notes.forEach(warn);
  const used = servers.flatMap(({ server, unused }) => (server === undefined || unused !== undefined ? [] : [server]));
  return used.length === 0 ? undefined : openMcp(used, setup, texts, warn);
}

/** The MCP servers of one session. All of them end when it is disposed. */
export interface McpSession extends AsyncDisposable {
  /** The tools to offer now. */
  readonly tools: () => readonly Tool[];
  /** The name by which a tool is judged. */
  readonly judgedName: (name: string) => string;
  /** What servers say about their use, as far as known: by the server's name. */
  readonly instructions: () => ReadonlyMap<string, string>;
  /** Settles when every server is ready or has failed, and at the latest after a short time. */
  readonly settled: (signal: AbortSignal) => Promise<void>;
}

const WAIT_MS = 3000;

/** Servers whose tools are known from an earlier session start when one is called; the others start at once. */
export function openMcp(
  servers: readonly McpServer[],
  setup: ServerSetup,
  texts: OutsideTexts,
  warn: (text: string) => void,
): McpSession {
  const live = servers.map((server) => liveServer(server, setup, warn));
  const named = new Set(servers.filter(({ isEditors }) => isEditors !== true).map(({ name }) => name));
  const tell = (name: string, problem: string) => {
    const more = named.has(name) ? `. To see more: signalbox mcp test ${name}` : "";
    warn(`the MCP server ${name} did not start: ${problem}${more}`);
  };
  const starting = live.filter(({ list }) => !list.isKnown).map((server) => startAndTell(server, tell));
  const all = Promise.all(starting);
  const offers = openOffers(live, texts);
  let waited: Promise<unknown> | undefined;
  return {
    tools: () => offers.tools(),
    judgedName: (name) => offers.judgedName(name),
    instructions: () =>
      new Map(live.flatMap(({ name, list }) => (list.instructions === "" ? [] : [[name, list.instructions]]))),
    async settled(signal) {
      if (starting.length === 0) return;
      waited ??= Promise.race([all, sleep(setup.waitMs ?? WAIT_MS, undefined, { ref: false })]);
      await Promise.race([waited, whenAborted(signal)]);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(live.map((server) => server[Symbol.asyncDispose]()));
      await all;
    },
  };
}

async function startAndTell(server: LiveServer, tell: (name: string, problem: string) => void): Promise<void> {
  await server.start();
  const { name, problem } = server;
  if (problem !== undefined) tell(name, problem);
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
function openOffers(servers: readonly LiveServer[], texts: OutsideTexts) {
  const words = serverWords(servers);
  const made = new Map<readonly ServerTool[], readonly Offer[]>();
  const judged = new Map<string, string>();
  const wanted = new Set<string>();
  const current = (): readonly Offer[] => {
    const taken = new Set<string>();
    return servers.flatMap((server) => {
      const { tools } = server.list;
      if (!made.has(tools)) made.set(tools, offersOf(server, words.get(server) ?? server.name, taken, texts));
      const offers = made.get(tools) ?? [];
      for (const { tool } of offers) taken.add(tool.name);
      for (const offer of offers) judged.set(offer.tool.name, offer.judged);
      return offers;
    });
  };
  const search = searchTool(
    servers.map(({ name }) => name),
    async (signal) => {
      const starting = Promise.all(servers.filter(({ list }) => !list.isKnown).map((server) => server.start()));
      await Promise.race([starting, whenAborted(signal)]);
      return current().map(({ tool, server }) => ({ wire: tool.name, server, description: tool.description }));
    },
    (wires) => wires.forEach((wire) => wanted.add(wire)),
  );
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

function offersOf(server: LiveServer, word: string, taken: ReadonlySet<string>, texts: OutsideTexts): readonly Offer[] {
  const names = new Set(taken);
  return server.list.tools.map((each) => {
    const wire = wireName(word, each.name, names);
    names.add(wire);
    const tool = serverTool(wire, each, server, texts);
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

const Input = z.strictObject({ query: z.string().min(1).max(500) });

const MAX_FOUND = 10;

const MAX_LINE = 200;

/**
 * Finds tools of servers whose lists are too large to be offered with every request. `all` may start servers first;
 * what is found is passed to `offer`, for the next turn.
 */
const searchTool = (
  servers: readonly string[],
  all: (signal: AbortSignal) => Promise<readonly FindableTool[]>,
  offer: (wires: readonly string[]) => void,
): Tool<typeof Input> => ({
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
