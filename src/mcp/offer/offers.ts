import type { Tool } from "../../contract/tool.ts";
import type { LiveServer } from "../live/live-server.ts";
import type { ServerTool } from "../list/read-tools.ts";
import { searchTool } from "./search-tool.ts";
import { serverTool } from "./server-tool.ts";
import type { ResultPlace } from "./show-result.ts";
import { judgedName, serverWord, wireName } from "./tool-names.ts";

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
