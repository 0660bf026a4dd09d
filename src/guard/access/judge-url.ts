import type { GuardFinding, Verdict } from "../../contract/verdict.ts";
import type { Machine } from "../../contract/machine.ts";
import { isPrivate, isReachableByName, parseAddress } from "../../lib/net/ip-address.ts";
import { covers, HOST_MACHINE, parseHostPattern, readTarget, type Target } from "../../lib/net/host-pattern.ts";
import type { HostLists } from "../rules/host-lists.ts";

const MAX_HOPS = 10;

/** All findings against requesting `url` and following each of its redirects. */
export function judgeUrl(
  url: string,
  hops: readonly string[],
  place: { readonly policy: HostLists; readonly machine: Machine },
): readonly GuardFinding[] {
  if (hops.length > MAX_HOPS)
    return [objection("deny", "network-redirects", { because: "too many redirects", fragment: url })];
  const findings: GuardFinding[] = [];
  let base = url;
  for (const hop of [url, ...hops]) {
    const absolute =
      hop !== url && URL.canParse(base) && URL.canParse(hop, base) && !/^[a-z]+:/i.test(hop)
        ? new URL(hop, base).href
        : hop;
    base = absolute;
    const target = readTarget(absolute);
    if ("because" in target) {
      findings.push(objection("deny", "network-url", { because: target.because, fragment: hop }));
      break;
    }
    if (target.lookalike === true)
      findings.push(
        objection("ask", "network-lookalike", {
          because: "the host uses look-alike letters",
          fragment: hop,
        }),
      );
    findings.push(...judgeTarget(target, hop, place));
  }
  return findings;
}

/** All findings against connecting to one host. */
export function judgeTarget(
  target: Target,
  fragment: string,
  place: { readonly policy: HostLists; readonly machine: Machine },
): readonly GuardFinding[] {
  const { policy, allowHosts, denyHosts } = place.policy;
  const { mode, schemes, ports, blockPrivate } = policy.network;
  if (mode === "none")
    return [objection("deny", "network-none", { because: "the policy allows no network access", fragment })];
  if (!schemes.includes(target.scheme))
    return [objection("deny", "network-scheme", { because: `${target.scheme} is not an allowed scheme`, fragment })];
  const denied = denyHosts.find((entry) => entry.matches(target.host));
  if (denied !== undefined)
    return [objection("deny", "network-denied", { because: `the policy denies ${denied.source}`, fragment })];
  const named = allowHosts.find((entry) => covers(entry, target, ports));
  if (mode === "allowlist" && named === undefined) return [unlisted(target, fragment, policy.network.unlisted)];
  const isNamed = named?.exact === true || isListedAddress(target.host, target, place.policy);
  if (!blockPrivate || isNamed)
    return judgeAddresses(target, fragment, {
      ...place,
      named: isNamed && (target.host === HOST_MACHINE || parseAddress(target.host) !== undefined),
    });
  if (isPrivateHost(target.host))
    return [
      objection("deny", "network-private", {
        because: `${target.host} is this machine or on its private network`,
        fragment,
      }),
    ];
  return judgeAddresses(target, fragment, { ...place, named: false });
}

function unlisted({ host, port }: Target, fragment: string, verdict: Verdict): GuardFinding {
  const name = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return {
    ...objection(verdict, "network-unlisted", { because: `${name} is not in network.allow`, fragment }),
    need: { kind: "host", target: name, because: `needs ${name}, which is not in network.allow` },
  };
}

function judgeAddresses(
  target: Target,
  fragment: string,
  place: { readonly policy: HostLists; readonly machine: Machine; readonly named: boolean },
): readonly GuardFinding[] {
  if (!place.policy.policy.network.blockPrivate || place.named) return [];
  const addresses = place.machine.addresses(target.host);
  if (addresses?.length === 0)
    return [objection("deny", "network-address", { because: `${target.host} has no address`, fragment })];
  const bad = (addresses ?? []).find((address) => {
    const parsed = parseAddress(address);
    return parsed === undefined || (isPrivate(parsed) && !isListed(address, target, place.policy));
  });
  if (bad === undefined) return [];
  const because = `${target.host} leads to ${bad}${aboutAddress(bad, target, place.policy)}`;
  return [objection("deny", "network-address", { because, fragment })];
}

/** Why an address is refused, and the command that would allow the host if there is one. */
function aboutAddress(address: string, target: Target, { policy }: HostLists): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return "";
  if (!isReachableByName(parsed)) return ", which is not a public address";
  const { ports } = policy.network;
  const isUsual = ports.length === 0 ? target.port === target.usualPort : ports.includes(target.port);
  const entry = isUsual ? target.host : `${target.host}:${target.port}`;
  return `, which is not a public address. To allow it all the same: signalbox guard allow --host ${entry}`;
}

/** The list may name the private address, or a person the host itself. */
const isListed = (address: string, target: Target, lists: HostLists) =>
  isListedAddress(address, target, lists) || (isListedName(target, lists) && isReachable(address));

const isListedName = (target: Target, { policy: { network } }: HostLists) =>
  (network.named ?? []).some((entry) => covers(parseHostPattern(entry), target, network.ports));

function isReachable(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && isReachableByName(parsed);
}

/**
 * A name may lead to a private address that the list names itself or in a block, on that port: the address can be
 * reached anyway.
 */
function isListedAddress(address: string, target: Target, { allowHosts, policy }: HostLists): boolean {
  if (!mayBeListed(address)) return false;
  return allowHosts.some((entry) => covers(entry, { ...target, host: address }, policy.network.ports));
}

/** Not this machine: in a sandbox, the loopback addresses on the list are the sandbox's own. Not metadata services. */
function mayBeListed(address: string): boolean {
  return !/^(?:127\.|0\.|169\.254\.)/.test(address) && !address.includes(":") && parseAddress(address) !== undefined;
}

const LOCAL_NAMES =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa|localtest\.me|lvh\.me)$|^(?:metadata|instance-data|ip6-localhost|ip6-loopback)$/;
// DNS services that resolve a name to the IP address spelled in it.
const SPELLED = /(?:^|[.-])(\d{1,3}[.-]\d{1,3}[.-]\d{1,3}[.-]\d{1,3})\.(?:nip|sslip|xip)\.io$/;

function isPrivateHost(host: string): boolean {
  const address = parseAddress(host) ?? parseAddress((SPELLED.exec(host)?.[1] ?? "").replaceAll("-", "."));
  return address === undefined ? LOCAL_NAMES.test(host) || !host.includes(".") : isPrivate(address);
}

function objection(
  verdict: Verdict,
  code: string,
  about: { readonly because: string; readonly fragment: string },
): GuardFinding {
  return { verdict, code, rule: "network", ...about };
}
