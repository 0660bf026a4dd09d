import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import type { NetworkLists } from "../../contract/policy.ts";
import { compileNetwork, judgeHostAccess } from "../../guard/access/judge-access.ts";
import { covers, HOST_MACHINE, type Refusal, type Target } from "../../lib/net/host-pattern.ts";
import { isLoopback, parseAddress } from "../../lib/net/ip-address.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { DoorParts, HostBook } from "./door-records.ts";

/** The answer to a request: the addresses it may be connected to, or why not. */
export type Admission =
  | { readonly kind: "admitted"; readonly addresses: readonly string[] }
  /** The policy says no. */
  | { readonly kind: "refused"; readonly because: string }
  /** Nothing is forbidden, but it cannot be done. */
  | { readonly kind: "failed"; readonly because: string };

/** Who asks: the proxy user name, and the command that it is the id of. */
export interface Asker {
  readonly id: string | undefined;
  readonly command: string | undefined;
}

type AdmitParts = Pick<DoorParts, "policy" | "isLent" | "isTainted" | "resolve" | "ownAddresses"> & {
  readonly book: HostBook;
  readonly resolveTime: number;
};

type Lists = ReturnType<typeof compileNetwork>;

const refused = (because: string): Admission => ({ kind: "refused", because });

/**
 * Decides whether a connection may be made, and to which addresses. The name is judged before it is resolved, so that
 * nothing can be sent in the name of an unlisted host, and its addresses afterwards. Anything that goes wrong refuses.
 */
export async function admit(target: Target | Refusal, asker: Asker, parts: AdmitParts): Promise<Admission> {
  if ("because" in target) return refused(target.because);
  if (target.lookalike === true) return refused(`${target.host} is written with look-alike letters`);
  try {
    const isTainted = parts.isTainted();
    const lists = listsFor(parts.policy(), target, isTainted ? () => false : lentTo(asker, parts));
    const own = isMachine(target.host);
    const objection = own ? objectToService(target, lists) : objectionTo(target, lists, undefined);
    if (objection !== undefined) return refused(objection);
    if (isTainted && !parts.book.hasReached(target))
      return refused(
        `this session has read text that may carry instructions, so it can only reach the hosts it reached before, and ${target.host}:${target.port} is new`,
      );
    return own ? { kind: "admitted", addresses: ["127.0.0.1"] } : await admitAddresses(target, lists, parts);
  } catch (error) {
    return refused(`the request could not be judged (${messageOf(error)})`);
  }
}

async function admitAddresses(target: Target, lists: Lists, parts: AdmitParts): Promise<Admission> {
  const found = await resolveName(target.host, parts);
  if ("because" in found) return { kind: "failed", because: found.because };
  const { addresses } = found;
  const objection = objectionTo(target, lists, addresses);
  if (objection !== undefined) return refused(objection);
  const own = (parts.ownAddresses ?? interfaceAddresses)().map(normalized);
  const reached = addresses.find((address) => own.includes(normalized(address)) && !isListed(address, target, lists));
  if (reached !== undefined) return refused(`${target.host} leads to ${reached}, which is this machine`);
  return { kind: "admitted", addresses };
}

function objectionTo(target: Target, lists: Lists, addresses: readonly string[] | undefined): string | undefined {
  return judgeHostAccess(target, lists, addresses)[0]?.because;
}

/** The machine that the sandbox runs on, under any of its names. In the sandbox, loopback is the sandbox's own. */
function isMachine(host: string): boolean {
  const address = parseAddress(host);
  if (address !== undefined) return isLoopback(address);
  return host === HOST_MACHINE || host === "localhost" || host.endsWith(".localhost");
}

/** Only an entry `host:PORT` opens a service of this machine. */
function objectToService(target: Target, lists: Lists): string | undefined {
  const denied = lists.denyHosts.find((entry) => entry.matches(target.host));
  if (denied !== undefined) return `the policy denies ${denied.source}`;
  const isOpen = lists.allowHosts.some((entry) => entry.matches(HOST_MACHINE) && entry.port === target.port);
  return isOpen
    ? objectionTo({ ...target, host: HOST_MACHINE }, lists, undefined)
    : `${target.host}:${target.port} is this machine, and host:${target.port} is not in network.allow (the sandbox's own servers are reached without the proxy)`;
}

type IsLent = (host: string, port: number) => boolean;

const lentTo =
  ({ id, command }: Asker, { isLent }: AdmitParts): IsLent =>
  (host, port) =>
    id !== undefined && command !== undefined && isLent(id, host, port);

/** The lists for one request. What is lent comes on top of the allow list; what the policy denies stays denied. */
function listsFor(network: NetworkLists, { host, port }: Target, isLent: IsLent): Lists {
  const matches = (other: string) =>
    isLent(other, port) || (other === HOST_MACHINE && isMachine(host) && isLent(host, port));
  const isOpened = matches(isMachine(host) ? HOST_MACHINE : host);
  // Private addresses are closed here even if the policy leaves them open for reading.
  const mode = isOpened && network.mode === "none" ? "allowlist" : network.mode;
  const lists = compileNetwork({ ...network, mode, blockPrivate: true });
  return { ...lists, allowHosts: [{ source: "a loan", port, exact: true, matches }, ...lists.allowHosts] };
}

function isListed(address: string, target: Target, lists: Lists): boolean {
  return lists.allowHosts.some((entry) => entry.exact && covers(entry, { ...target, host: address }, []));
}

const normalized = (address: string) => parseAddress(address)?.join(".") ?? address;

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
}

/** More addresses than any client would try. */
const MAX_ADDRESSES = 32;

/** The addresses of a name, asked for once and within a time limit. A later answer is ignored. */
async function resolveName(
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
