import type { GuardFinding } from "../../contract/verdict.ts";

/** What a policy would have to list to lift a finding: `HOST:PORT`, a variable, or a path that is read or written. */
export interface Grant {
  readonly kind: "host" | "variable" | "read" | "write";
  readonly target: string;
}

/** Undefined where no list of the policy could lift it. */
export function grantOf({ need }: GuardFinding): Grant | undefined {
  if (need?.kind === "host" || need?.kind === "variable") return { kind: need.kind, target: need.target };
  return need?.kind === "path" ? { kind: need.access ?? "write", target: need.target } : undefined;
}
