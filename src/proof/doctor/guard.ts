import { heldWords } from "../../contract/agent-call.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import type { Policy } from "../../contract/policy.ts";
import { flawPlace, verifyAudit } from "../../guard/audit/verify-audit.ts";
import { loadActivePolicy } from "../../guard/policy/active-policy.ts";
import { findWorkspace } from "../../lib/path/workspace.ts";
import { isInsideSession } from "../../lib/process/inside-session.ts";
import { errorCode, isUserError, messageOf } from "../../lib/text/user-error.ts";
import { sandboxHere } from "../../sandbox/open-session-sandbox.ts";
import { limitFacts, limitText } from "../../sandbox/session/limits.ts";
import type { CheckResult, Examined } from "./check.ts";

/** Whether this folder's policy can be read, and which files it consists of. */
export function checkPolicy({ cwd, home }: Examined): CheckResult {
  try {
    const { policy, files } = loadActivePolicy({ workspaceRoot: findWorkspace(cwd), folder: home });
    const untrusted = files.filter((file) => !file.trusted).map((file) => file.path);
    const made = files.length === 0 ? "the default preset" : files.map((file) => file.path).join(", ");
    if (untrusted.length === 0)
      return { id: "policy", status: "ok", summary: `compiles: ${made}`, facts: { hash: policy.hash ?? "none" } };
    const summary = `compiles: ${made}; not trusted, so it can only add restrictions: ${untrusted.join(", ")}`;
    return { id: "policy", status: "warn", summary, fix: "read it, then run: signalbox trust" };
  } catch (error) {
    const summary = messageOf(error);
    return { id: "policy", status: "fail", summary, fix: "fix the file; until then every call is blocked" };
  }
}

/** Whether commands run in a sandbox on this machine, which is tried out unless it was before. */
export async function checkSandbox({ cwd, home, env, canRecord }: Examined): Promise<CheckResult> {
  const policy = activePolicy(findWorkspace(cwd), home);
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
  const here = await sandboxHere(policy, { signalboxHome: home, environment: env }).catch(refusal);
  if ("summary" in here) return here;
  const { containment, usesHelper } = here;
  if (containment.contained) {
    const facts = containment.held.includes("processes") ? limitFacts(policy, usesHelper === true) : [];
    const names = (isHeld: boolean) => facts.filter(({ limit }) => (limit !== null) === isHeld).map(({ what }) => what);
    return {
      id: "sandbox",
      ...(containment.instead === undefined
        ? { status: "ok" }
        : { status: "warn", fix: `${containment.instead.fix} (${LOST_WORDS})` }),
      summary: `contained: ${heldWords(containment.held)}, by ${containment.by}${limitsText(names(true), names(false))}${containment.instead === undefined ? "" : `, because ${containment.instead.because}`}`,
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

const LOST_WORDS = "what is missing until then: signalbox sandbox --why";

function refusal(error: unknown): CheckResult {
  if (!isUserError(error)) throw error;
  const summary = `a session in this workspace would be refused: ${error.message}`;
  return { id: "sandbox", status: "fail", summary, fix: error.fix };
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

/** Whether the audit log is intact. */
export function checkAudit(folder: string): CheckResult {
  try {
    const { bad, records, segments, unanchored } = verifyAudit(folder);
    const summary = `${records} records in ${segments} segments, ${unanchored} without an anchor`;
    if (bad === undefined) return { id: "audit", status: "ok", summary };
    const fix = "see: signalbox audit verify";
    return { id: "audit", status: "fail", summary: `${flawPlace(bad)}: ${bad.because}`, fix };
  } catch (error) {
    const summary = `cannot read the log: ${messageOf(error)}`;
    // If the home is not a folder, there is no log. `places.home` says so.
    if (errorCode(error) === "ENOTDIR" && !isFolder(folder)) return { id: "audit", status: "absent", summary };
    return { id: "audit", status: "fail", summary, fix: "check the file and its permissions" };
  }
}
