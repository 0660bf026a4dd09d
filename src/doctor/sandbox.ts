import type { Policy } from "../contract/policy.ts";
import { loadActivePolicy } from "../guard/policy/active-policy.ts";
import { findWorkspace } from "../lib/find-workspace.ts";
import { isInsideSession } from "../lib/inside-session.ts";
import { limitFacts, limitText } from "../sandbox/limits.ts";
import { sandboxHere } from "../sandbox/open-session-sandbox.ts";
import type { CheckResult } from "./check.ts";

interface Places {
  readonly cwd: string;
  readonly home: string;
  /** Whether the home can be written. Where it cannot, its own check says so. */
  readonly canRecord: boolean;
}

/** Whether commands run in a sandbox on this machine, which is tried out unless it was before. */
export async function checkSandbox(
  { cwd, home: folder, canRecord }: Places,
  env: NodeJS.ProcessEnv,
): Promise<CheckResult> {
  const policy = activePolicy(findWorkspace(cwd), folder);
  if (policy === undefined)
    return { id: "sandbox", status: "absent", summary: "not tried, because the policy is broken" };
  if (policy.sandbox !== "off" && isInsideSession(env))
    return { id: "sandbox", status: "absent", summary: "not tried inside a session" };
  if (!canRecord && policy.sandbox === "auto")
    return {
      id: "sandbox",
      status: "absent",
      summary: "no, because signalbox cannot write its files (see places.home)",
    };
  const { containment, usesHelper } = await sandboxHere(policy, { signalboxHome: folder, environment: env });
  if (containment.contained) {
    const facts = containment.held.includes("processes") ? limitFacts(policy, usesHelper === true) : [];
    const names = (isHeld: boolean) => facts.filter(({ limit }) => (limit !== null) === isHeld).map(({ what }) => what);
    return {
      id: "sandbox",
      status: "ok",
      summary: `contained: yes (${containment.held.join(", ")}), by ${containment.by}${limitsText(names(true), names(false))}`,
      facts: Object.fromEntries(facts.map((fact) => [`limit: ${fact.what}`, limitText(fact)])),
    };
  }
  const isRequired = policy.sandbox === "workspace" || policy.sandbox === "strict";
  return {
    id: "sandbox",
    status: isRequired ? "fail" : "warn",
    summary: `contained: no, because ${containment.because}${isRequired ? "; the policy requires a sandbox, so no command will run" : ""}`,
    fix: containment.fix,
  };
}

const limitsText = (held: readonly string[], open: readonly string[]) =>
  [
    ...(held.length === 0 ? [] : [`; limited: ${held.join(", ")}`]),
    ...(open.length === 0 ? [] : [`; not limited: ${open.join(", ")} (signalbox sandbox --explain)`]),
  ].join("");

function activePolicy(workspaceRoot: string, folder: string): Policy | undefined {
  try {
    return loadActivePolicy({ workspaceRoot, folder }).policy;
  } catch {
    // The policy check reports what is wrong with it.
    return undefined;
  }
}
