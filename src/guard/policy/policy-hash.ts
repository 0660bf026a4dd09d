import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Policy } from "./policy.ts";

const HASHES = new WeakMap<Policy, string>();

/** The hash of a policy in its compiled form. */
export function policyHash(policy: Policy): string {
  const known = policy.hash ?? HASHES.get(policy);
  if (known !== undefined) return known;
  const made = sha256(canonicalJson(policy));
  HASHES.set(policy, made);
  return made;
}
