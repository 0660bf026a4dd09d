import type { GuardFinding, SeenEffect } from "../../contract/verdict.ts";
import { readTarget } from "../../lib/url-target.ts";

/**
 * After untrusted text, contained programs still run, but nothing is lent to them, and a host that this session has not
 * reached yet needs approval.
 */
export function taintInside(
  findings: readonly GuardFinding[],
  effects: readonly SeenEffect[],
  reached: ((host: string) => boolean) | undefined,
): readonly GuardFinding[] {
  const host = effects.find(({ kind, target }) => kind === "network" && !isKnownHost(target, reached));
  const asks: GuardFinding = {
    verdict: "ask",
    code: "taint",
    rule: "taint",
    because: "untrusted text was read since your last message, and this session has not used this host before",
    fragment: host?.target ?? "",
  };
  return [...findings.map(withoutLoan), ...(host === undefined ? [] : [asks])];
}

function withoutLoan(finding: GuardFinding): GuardFinding {
  const { need, verdict, because } = finding;
  if (need === undefined || need.kind === "outside" || verdict !== "ask") return finding;
  return {
    ...finding,
    verdict: "deny",
    need: undefined,
    because: `${because}, and nothing is lent until your next message, because untrusted text was read`,
  };
}

/** Loopback is the sandbox's own, and a program without a host of its own goes through the door, which asks. */
function isKnownHost(target: string, reached: ((host: string) => boolean) | undefined): boolean {
  if (target === "its configured host") return true;
  const parsed = readTarget(/^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? target : `https://${target}`);
  if ("because" in parsed) return false;
  return /^(?:localhost|127\.[\d.]+|::1|0\.0\.0\.0)$/.test(parsed.host) || reached?.(parsed.host) === true;
}
