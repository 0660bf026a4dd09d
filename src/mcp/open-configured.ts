import type { McpServer } from "../contract/mcp-server.ts";
import { sessionAuth } from "./auth/session-auth.ts";
import { loadServers } from "./config/load-servers.ts";
import type { LivePlace } from "./live/live-server.ts";
import type { OfferParts } from "./offer/offers.ts";
import { type McpSession, openMcp } from "./open-mcp.ts";

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
