import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import { parseAddress } from "../../lib/net/ip-address.ts";
import { judgeUrlAccess } from "../../guard/access/judge-access.ts";
import { readTarget } from "../../lib/net/host-pattern.ts";
import type { Policy } from "../../contract/policy.ts";
import type { GuardFinding } from "../../contract/verdict.ts";
import type { Machine } from "../../contract/machine.ts";
import { unpackBody } from "../../lib/net/unpack-body.ts";

export interface WebAnswer {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  readonly truncated: boolean;
}

export interface WebPlace {
  readonly policy: Policy;
  readonly world: Machine;
  /** The addresses of a host. */
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined;
}

const MAX_HOPS = 5;
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_MS = 30_000;

/**
 * A GET whose every hop is judged by where it really goes: names are resolved first, the addresses judged, and exactly
 * those connected to. The first address was judged with the call, so only denials count; a redirect must be allowed
 * outright.
 */
export async function requestJudged(url: string, place: WebPlace, signal: AbortSignal): Promise<WebAnswer> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);
  let next = url;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const addresses = await judged(next, place, (finding) =>
      hop === 0 || host(next) === host(url) ? finding.verdict === "deny" : finding.verdict !== "allow",
    );
    const response = await get(next, addresses, limit);
    const location = response.headers.location;
    if (location === undefined || (response.statusCode ?? 0) < 300 || (response.statusCode ?? 0) > 399)
      return await readAnswer(next, response);
    response.destroy();
    if (!URL.canParse(location, next)) throw new Error(`${next} redirects to ${location}, which is not a URL`);
    next = new URL(location, next).href;
  }
  throw new Error(`${url} redirects more than ${MAX_HOPS} times`);
}

const host = (url: string) => new URL(url).host;

async function judged(
  url: string,
  { policy, world, resolve = systemAddresses }: WebPlace,
  counts: (finding: GuardFinding) => boolean,
): Promise<readonly string[]> {
  const target = readTarget(url);
  if ("because" in target) throw new Error(`${url}: ${target.because}`);
  const addresses = parseAddress(target.host) === undefined ? await resolve(target.host) : [target.host];
  const findings = judgeUrlAccess(url, { policy, machine: { ...world, addresses: () => addresses } });
  const objection = findings.find(counts);
  if (objection === undefined) return addresses;
  throw new Error(
    `it redirects to ${url}, which is not allowed here: ${objection.because}. Fetch that address directly if you need it`,
  );
}

async function systemAddresses(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new Error(`${name} has no address`, { cause: error });
  }
}

async function get(url: string, addresses: readonly string[], signal: AbortSignal): Promise<IncomingMessage> {
  const { request } = url.startsWith("https:") ? await import("node:https") : await import("node:http");
  const known = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const pinned: LookupFunction = (_name, options, done) => {
    const [first] = known;
    if (options.all === true) done(null, known);
    else done(null, first?.address ?? "", first?.family ?? 4);
  };
  const headers = {
    accept: "text/html, text/plain, text/markdown, application/json, */*;q=0.5",
    "accept-encoding": "gzip, br, deflate",
    "user-agent": "signalbox",
  };
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, signal, lookup: pinned, agent: false }, resolve);
    outgoing.on("error", (error) => reject(new Error(`${url}: ${error.message}`, { cause: error })));
    // The only event when a server switches protocols (101).
    outgoing.on("close", () => reject(new Error(`${url}: the connection was closed without an answer`)));
    outgoing.end();
  });
}

async function readAnswer(url: string, response: IncomingMessage): Promise<WebAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of await unpackBody(response)) {
    parts.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > MAX_BYTES) break;
  }
  response.destroy();
  return {
    url,
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? "",
    body: Buffer.concat(parts).subarray(0, MAX_BYTES),
    truncated: size > MAX_BYTES,
  };
}
