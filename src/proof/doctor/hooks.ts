import { realpathSync } from "node:fs";
import { join } from "node:path";
import { resolveAgent } from "../../agents/active-agent.ts";
import { findBinary } from "../../agents/find-binary.ts";
import type { SwitchedOff } from "../../agents/pack/agent-pack.ts";
import type { Agent } from "../../agents/pack/agent.ts";
import { findPack, managedSwitch } from "../../agents/packs.ts";
import type { AgentName } from "../../contract/agent.ts";
import { textIfReadable } from "../../lib/files/read-file.ts";
import { findWorkspace } from "../../lib/path/workspace.ts";
import { isUserError, messageOf } from "../../lib/text/user-error.ts";
import { readManifest } from "../../staging/apply.ts";
import { checkEntry, checkStaged, remedies } from "../../staging/check-staged.ts";
import { proofState, sentence } from "../proof-state.ts";
import type { CheckResult, Examined } from "./check.ts";

/** Whether the rules are proven to work for an agent as currently installed. */
export function checkProof(agent: Agent, { cwd, home, env, version, canRecord }: Examined): CheckResult {
  const id = `proof.${agent.name}`;
  const fix = `run: signalbox prove ${agent.name}`;
  try {
    const known = proofState(agent, findBinary(agent, env, [cwd]), { home, version });
    const summary = sentence(agent, known);
    const facts = { state: known.state };
    if (known.state === "failed") return { id, status: "fail", summary, fix, facts };
    if (known.state !== "proven") return { id, status: canRecord ? "warn" : "absent", summary, fix, facts };
    const open = known.open.length === 0 ? "" : `; not shown: ${known.open.join(", ")}`;
    return { id, status: "ok", summary: `${summary}${open}` };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { id, status: "absent", summary: `${agent.title} cannot be tested: ${error.message}`, fix: error.fix };
  }
}

const id = "hooks.staged";

/** Whether what is staged here is in place for the active agent. A repository with nothing staged is not a fault. */
export function checkStagedHooks({ cwd, home, env }: Examined): CheckResult {
  try {
    const root = findWorkspace(realpathSync(cwd));
    const manifest = readManifest(root);
    if (manifest === undefined)
      return { id, status: "absent", summary: "nothing is staged here; guarded launches don't need it" };
    const { agent, source } = resolveAgent(cwd, env);
    const { agents, required, xpia = false } = manifest;
    if (!agents.includes(agent))
      return {
        id,
        status: source === "default" ? "warn" : "fail",
        summary: `nothing is staged for the active agent ${agent}, only for ${agents.join(", ")}`,
        fix: remedies(agent),
      };
    const faults = [...checkEntry(home), ...checkStaged({ root, home, env, agents, required, xpia })];
    const [first, ...more] = faults.filter((fault) => fault.agent === undefined || fault.agent === agent);
    if (first === undefined) return { id, status: "ok", summary: `staged for ${agents.join(", ")}, and in place` };
    const event = first.event === undefined ? "" : `, event ${first.event}`;
    const others = more.length === 0 ? "" : ` (and ${more.length} more: signalbox stage --check)`;
    const summary = `${agent}${event}: ${first.place}: ${first.because}${others}`;
    return { id, status: "fail", summary, fix: remedies(agent) };
  } catch (error) {
    const summary = messageOf(error);
    return { id, status: "fail", summary, fix: "fix the above, then run: signalbox stage" };
  }
}

/** Switches in the user's real settings, which a proof in a throw-away home cannot see. Nothing is changed. */
export function checkSwitches(agent: AgentName, env: NodeJS.ProcessEnv, root = "/"): CheckResult {
  const id = `switches.${agent}`;
  const managed = managedSwitch(agent, root);
  if (managed !== undefined)
    return {
      id,
      status: "warn",
      summary: `${managed.file} ${managed.state === "off" ? "blocks user hooks" : "cannot be read"}, so guarded launches refuse to start`,
      fix: `ask the administrator of this machine to ${managed.state === "off" ? "allow user hooks" : "fix it"}`,
    };
  const places = findPack(agent)?.switchedOff ?? [];
  const found = places
    .map((place) => fileOf(place, env))
    .filter(({ path, off }) => off.test(textIfReadable(path) ?? ""));
  if (found.length === 0) return { id, status: "ok", summary: "nothing in your settings disables hooks" };
  const files = found.map(({ path }) => path).join(", ");
  return {
    id,
    status: "warn",
    summary: `${files} disables hooks; a guarded launch overrides this, a start without signalbox does not`,
    fix: "remove the setting, unless you want it",
  };
}

function fileOf({ path, variable, off }: SwitchedOff, env: NodeJS.ProcessEnv) {
  const own = variable === undefined ? undefined : env[variable];
  const inOwn = path.slice(path.indexOf("/") + 1);
  return { path: own === undefined || own === "" ? join(env["HOME"] ?? "/", path) : join(own, inOwn), off };
}
