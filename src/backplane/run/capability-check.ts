import type { Capabilities, Requirement, SupportLevel } from "../../contract/capability.ts";

/** Every requirement that a host does not meet, in words; undefined when it meets all. */
export function unmetRequirements(required: readonly Requirement[], capabilities: Capabilities): string | undefined {
  const unmet = required.flatMap(({ capability, min_support }) => {
    const level = capabilities[capability];
    return meets(level, min_support) ? [] : [`${capability} (needs ${min_support}, has ${levelName(level)})`];
  });
  return unmet.length === 0 ? undefined : `the host does not meet: ${unmet.join(", ")}`;
}

/** Absence never meets anything, and what a host says it cannot do is as good as absent. */
function meets(level: SupportLevel | undefined, needed: Requirement["min_support"]): boolean {
  if (level === undefined || level === "unsupported") return false;
  return needed === "native" ? level === "native" : true;
}

const levelName = (level: SupportLevel | undefined) =>
  level === undefined ? "nothing" : typeof level === "string" ? level : `restricted: ${level.restricted.reason}`;
