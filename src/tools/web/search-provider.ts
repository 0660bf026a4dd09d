import * as z from "zod";
import { parseJson } from "../../lib/parse-json.ts";

interface WebHit {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** Searches the web. */
export interface SearchProvider {
  /** The address it queries; the policy must not deny it. */
  readonly address: string;
  readonly search: (query: string, signal: AbortSignal) => Promise<readonly WebHit[]>;
}

/**
 * The search provider the user has set up, or undefined: a SearXNG server (`SIGNALBOX_SEARCH_URL`), or Brave
 * (`BRAVE_API_KEY`).
 */
export function searchProvider(environment: Readonly<Record<string, string | undefined>>): SearchProvider | undefined {
  const { SIGNALBOX_SEARCH_URL: server, BRAVE_API_KEY: key } = environment;
  if (server !== undefined && URL.canParse(server)) return searxng(server);
  return key === undefined || key === "" ? undefined : brave(key);
}

const SearxngAnswer = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string().default("") })),
});

const searxng = (server: string): SearchProvider => ({
  address: server,
  async search(query, signal) {
    const url = new URL(server.endsWith("/search") ? server : `${server.replace(/\/$/, "")}/search`);
    url.search = new URLSearchParams({ q: query, format: "json" }).toString();
    const { results } = SearxngAnswer.parse(await getJson(url, {}, signal));
    return results.map(({ content, ...hit }) => ({ ...hit, text: content }));
  },
});

const BraveAnswer = z.object({
  web: z.object({
    results: z.array(z.object({ title: z.string(), url: z.string(), description: z.string().default("") })),
  }),
});

const BRAVE = "https://api.search.brave.com/res/v1/web/search";

const brave = (key: string): SearchProvider => ({
  address: BRAVE,
  async search(query, signal) {
    const url = new URL(BRAVE);
    url.search = new URLSearchParams({ q: query }).toString();
    const { web } = BraveAnswer.parse(await getJson(url, { "x-subscription-token": key }, signal));
    return web.results.map(({ description, ...hit }) => ({ ...hit, text: description }));
  },
});

const MAX_MS = 20_000;
const MAX_BYTES = 2 * 1024 * 1024;

async function getJson(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: "application/json", ...headers },
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]),
  });
  if (!response.ok) throw new Error(`the search at ${url.host} returned status ${response.status}`);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_BYTES) throw new Error(`the search at ${url.host} returned too much data`);
    parts.push(part);
  }
  try {
    return parseJson(Buffer.concat(parts).toString("utf8"));
  } catch (error) {
    throw new Error(`the search at ${url.host} did not return JSON`, { cause: error });
  }
}
