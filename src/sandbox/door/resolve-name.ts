import { lookup } from "node:dns/promises";
import { parseAddress } from "../../lib/ip-address.ts";
import type { Refusal } from "../../lib/url-target.ts";
import type { DoorParts } from "./door-parts.ts";

/** More addresses than any client would try. */
const MAX_ADDRESSES = 32;

/** The addresses of a name, asked for once and within a time limit. A later answer is ignored. */
export async function resolveName(
  host: string,
  { resolve = systemAddresses, resolveTime }: Pick<DoorParts, "resolve"> & { readonly resolveTime: number },
): Promise<{ readonly addresses: readonly string[] } | Refusal> {
  if (parseAddress(host) !== undefined) return { addresses: [host] };
  const { promise: timeout, resolve: giveUp } = Promise.withResolvers<undefined>();
  const timer = setTimeout(giveUp, resolveTime, undefined);
  try {
    const addresses = await Promise.race([resolve(host), timeout]);
    if (addresses === undefined) return { because: `looking up ${host} took too long` };
    if (addresses.length === 0) return { because: `${host} has no address` };
    return { addresses: addresses.slice(0, MAX_ADDRESSES) };
  } catch {
    return { because: `${host} was not found` };
  } finally {
    clearTimeout(timer);
  }
}

async function systemAddresses(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
