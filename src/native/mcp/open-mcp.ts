import { setTimeout as sleep } from "node:timers/promises";
import type { McpServer } from "../../contract/mcp-server.ts";
import type { Tool } from "../../contract/tool.ts";
import { loadServers } from "./configured-servers.ts";
import { type LivePlace, type LiveServer, liveServer } from "./live-server.ts";
import { type OfferParts, openOffers } from "./offers.ts";
import { sessionAuth } from "./stored-login.ts";

type Place = Omit<LivePlace, "authFor"> &
  Omit<OfferParts, "servers"> & { readonly given?: readonly McpServer[] | undefined };

/** Opens the servers that are configured for a workspace and trusted; undefined if there are none. */
export function openConfigured(place: Place, warn: (text: string) => void): McpSession | undefined {
  const { servers, notes } = loadServers(place);
  notes.forEach(warn);
  const used = servers.flatMap(({ server, unused }) => (server === undefined || unused !== undefined ? [] : [server]));
  if (used.length === 0) return undefined;
  return openMcp(used, { ...place, authFor: ({ url }) => sessionAuth(place.home, url) });
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

/** How long a first request waits for servers whose tools are not known yet. */
const WAIT_MS = 3000;

interface SessionPlace extends LivePlace, Omit<OfferParts, "servers"> {
  readonly waitMs?: number | undefined;
}

/** Servers whose tools are known from an earlier session start when one is called; the others start at once. */
export function openMcp(servers: readonly McpServer[], place: SessionPlace): McpSession {
  const { waitMs = WAIT_MS } = place;
  const live = servers.map((server) => liveServer(server, place));
  const named = new Set(servers.filter(({ isEditors }) => isEditors !== true).map(({ name }) => name));
  const tell = (name: string, problem: string) => {
    const more = named.has(name) ? `. To see more: signalbox mcp test ${name}` : "";
    place.warn(`the MCP server ${name} did not start: ${problem}${more}`);
  };
  const starting = live.filter(({ list }) => !list.isKnown).map((server) => startAndTell(server, tell));
  const all = Promise.all(starting);
  const offers = openOffers({ ...place, servers: live });
  let waited: Promise<unknown> | undefined;
  return {
    tools: () => offers.tools(),
    judgedName: (name) => offers.judgedName(name),
    instructions: () =>
      new Map(live.flatMap(({ name, list }) => (list.instructions === "" ? [] : [[name, list.instructions]]))),
    async settled(signal) {
      if (starting.length === 0) return;
      waited ??= Promise.race([all, sleep(waitMs, undefined, { ref: false })]);
      await Promise.race([waited, aborted(signal)]);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(live.map((server) => server[Symbol.asyncDispose]()));
      await all;
    },
  };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

async function startAndTell(server: LiveServer, tell: (name: string, problem: string) => void): Promise<void> {
  await server.start();
  const { name, problem } = server;
  if (problem !== undefined) tell(name, problem);
}
