import type { GuardFinding } from "../../contract/verdict.ts";

/** What a policy would have to list to lift a finding: `HOST:PORT`, a variable, or a path that is read or written. */
export interface Grant {
  readonly kind: "host" | "variable" | "read" | "write";
  readonly target: string;
}

/** True where lifting a finding opens something to every command. A host is lent to the one command that needs it. */
export function opensToAll(finding: GuardFinding): boolean {
  const grant = grantOf(finding);
  return grant !== undefined && (grant.kind !== "host" || finding.command === undefined);
}

/** Undefined where no list of the policy could lift it. */
export function grantOf({ need }: GuardFinding): Grant | undefined {
  if (need?.kind === "host" || need?.kind === "variable") return { kind: need.kind, target: need.target };
  return need?.kind === "path" ? { kind: need.access ?? "write", target: need.target } : undefined;
}
