import type { HostPlace } from "../../backplane/host.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";

/** The refusal of a host whose commands cannot run in a sandbox, where one is required. */
export function uncontained(host: string, why: string, where: string): UserError {
  return new UserError(`a sandbox is required, but commands of ${host} cannot run in one, because ${why}`, {
    where,
    fix: where.startsWith("--")
      ? `run it without ${where}, or use claude, codex, copilot, gemini or native`
      : 'set "sandbox: auto" in the policy, or use claude, codex, copilot, gemini or native',
    exitCode: EXIT.refused,
  });
}

/** Where the rules in effect require a sandbox; undefined if they don't. */
export function sandboxRequirement(policy: HostPlace["policy"]): string | undefined {
  const { sandbox = "auto" } = policy ?? {};
  return sandbox === "workspace" || sandbox === "strict" ? `"sandbox: ${sandbox}" in the policy` : undefined;
}

/** Refuses to open a host that cannot contain commands where the rules require it. */
export function refuseUncontained(host: string, why: string, { policy }: Pick<HostPlace, "policy">): void {
  const where = sandboxRequirement(policy);
  if (where !== undefined) throw uncontained(host, why, where);
}

export const RUNS_ITSELF = "it runs them itself";
export const HAS_NO_HOOKS = "it has no hooks";
