import type { ReadyPolicy } from "../rules/ready-policy.ts";
import type { GuardFinding, Verdict } from "../../contract/verdict.ts";
import type { Machine } from "../../contract/machine.ts";
import { isPrivate, parseAddress } from "../../lib/ip-address.ts";
import { covers } from "../../lib/host-pattern.ts";
import { readTarget, type Target } from "../../lib/url-target.ts";

const MAX_HOPS = 10;

/** All findings against requesting `url` and following each of its redirects. */
export function judgeUrl(
  url: string,
  hops: readonly string[],
  place: { readonly policy: ReadyPolicy; readonly machine: Machine },
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
  place: { readonly policy: ReadyPolicy; readonly machine: Machine },
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
  if (mode === "allowlist" && named === undefined)
    return [
      objection(policy.network.unlisted, "network-unlisted", {
        because: `${target.host}:${target.port} is not in network.allow`,
        fragment,
      }),
    ];
  if (!blockPrivate || named?.exact === true)
    return judgeAddresses(target, fragment, {
      ...place,
      named: named?.exact === true && parseAddress(target.host) !== undefined,
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

function judgeAddresses(
  target: Target,
  fragment: string,
  place: { readonly policy: ReadyPolicy; readonly machine: Machine; readonly named: boolean },
): readonly GuardFinding[] {
  if (!place.policy.policy.network.blockPrivate || place.named) return [];
  const addresses = place.machine.addresses(target.host);
  if (addresses?.length === 0)
    return [objection("deny", "network-address", { because: `${target.host} has no address`, fragment })];
  const bad = (addresses ?? []).find((address) => {
    const parsed = parseAddress(address);
    return parsed === undefined || isPrivate(parsed);
  });
  return bad === undefined
    ? []
    : [objection("deny", "network-address", { because: `${target.host} leads to ${bad}`, fragment })];
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
