import type { Capabilities, Requirement, SupportLevel } from "../../contract/capability.ts";

export class UnmetRequirements extends Error {}

/** Throws an error that names every requirement that a host does not meet. */
export function demandCapabilities(required: readonly Requirement[], capabilities: Capabilities): void {
  const unmet = required.flatMap(({ capability, min_support }) => {
    const level = capabilities[capability];
    return meets(level, min_support) ? [] : [`${capability} (needs ${min_support}, has ${levelName(level)})`];
  });
  if (unmet.length > 0) throw new UnmetRequirements(`the host does not meet: ${unmet.join(", ")}`);
}

/** A missing capability meets nothing. "unsupported" counts as missing. */
function meets(level: SupportLevel | undefined, needed: Requirement["min_support"]): boolean {
  if (level === undefined || level === "unsupported") return false;
  return needed === "native" ? level === "native" : true;
}

const levelName = (level: SupportLevel | undefined) =>
  level === undefined ? "nothing" : typeof level === "string" ? level : `restricted: ${level.restricted.reason}`;
