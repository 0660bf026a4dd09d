import { join } from "node:path";
import { AGENT_VARIABLES, resolveAgent } from "../../agents/active-agent.ts";
import { findBinary, type FoundBinary } from "../../agents/find-binary.ts";
import type { Agent } from "../../agents/pack/agent.ts";
import { type BinaryIdentity, identify } from "../../launch/binary-identity.ts";
import { cleanEnvironment } from "../../lib/process/dangerous-variables.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { chooseModel, keyedProviders } from "../../models/choose-model.ts";
import { loadSettings, wantedBaseUrl, wantedModel } from "../../native/settings/settings-files.ts";
import { checkRunner, findRunner, RUNNER_VARIABLE } from "../../recipes/bridge/find-runner.ts";
import { RECIPE_EXIT } from "../../recipes/recipe/recipe.ts";
import type { CheckResult, Examined } from "./check.ts";

/**
 * Where an agent is installed, its version, and what our rules cannot guard in it. Not being installed is not a fault.
 */
export async function checkAgent(agent: Agent, { cwd, home, env, readOnly }: Examined): Promise<CheckResult> {
  const id = `agent.${agent.name}`;
  let binary: FoundBinary;
  let identity: BinaryIdentity;
  try {
    binary = findBinary(agent, env, [cwd]);
    identity = await identify(agent, binary, { cache: join(home, "cache"), env, readOnly });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const absent = error.exitCode === EXIT.notFound;
    return {
      id,
      status: absent ? "absent" : "fail",
      summary: absent ? "not installed" : `${error.message} (${error.where})`,
      fix: error.fix,
    };
  }
  const { version, sha256, nativeSha256 } = identity;
  return {
    id,
    status: binary.warnings.length === 0 ? "ok" : "warn",
    ...(binary.warnings.length === 0
      ? {}
      : { fix: `to start that one, set SIGNALBOX_${agent.name.toUpperCase()}_BINARY to it` }),
    summary: `${version} at ${binary.path} (from ${binary.from}), sha256 ${sha256.slice(0, 12)}…; ${[...binary.warnings, `unguarded: ${agent.unprotected}`].join("; ")}`,
    facts: {
      path: binary.path,
      version,
      sha256,
      ...(nativeSha256 === "" ? {} : { nativeSha256 }),
      unprotected: agent.unprotected,
    },
  };
}

/** Which agent is active here, which sources were rejected, and what `run` uses when it is not installed. */
export function checkActiveAgent({ cwd, env }: Examined, agents: readonly CheckResult[]): CheckResult {
  const id = "active-agent";
  const { agent, source, warnings } = resolveAgent(cwd, env);
  const installed = agents.filter(({ status }) => status === "ok" || status === "warn").map(agentOf);
  const missing = agent !== "native" && !installed.includes(agent);
  const others = source === "env" || installed[0] === undefined ? "" : `, so run uses ${installed[0]}`;
  const summary = [`${agent} (from ${source})${missing ? `; it is not installed${others}` : ""}`, ...warnings].join(
    "; ",
  );
  const facts = { agent, source };
  if (warnings.length > 0)
    return { id, status: "warn", summary, facts, fix: "fix what the warning says, or start an agent here once" };
  if (missing && source === "env" && installed[0] !== undefined)
    return { id, status: "warn", summary, facts, fix: `install ${agent}, or change ${AGENT_VARIABLES[0]}` };
  return { id, status: "ok", summary, facts };
}

/** The agent that a check is about. */
export const agentOf = ({ id }: CheckResult) => id.slice(id.indexOf(".") + 1);

/** Whether signalbox's own engine has a model and a key. Not having them is not a fault. */
export function checkNative({ env, home }: Examined): CheckResult {
  const id = "agent.native";
  try {
    const settings = loadSettings(home);
    const wanted = wantedModel(env, settings);
    if (wanted === undefined) return { id, status: "absent", ...unchosen(env) };
    const { value: name, place } = wanted;
    const choice = chooseModel({ name, place, baseUrl: wantedBaseUrl(name, settings), environment: env });
    return { id, status: "ok", summary: `model ${choice.provider}/${choice.id} (from ${place})` };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { id, status: "warn", summary: error.message, fix: error.fix };
  }
}

function unchosen(env: NodeJS.ProcessEnv): { readonly summary: string; readonly fix: string } {
  const keyed = keyedProviders(env).map(({ provider }) => provider.name);
  if (keyed.length === 0)
    return {
      summary: "no model is chosen and no key is set",
      fix: "set a key (signalbox models lists them), or use a local model: signalbox models --set ollama/qwen3",
    };
  return {
    summary: `no model is chosen; a key is set for ${keyed.join(", ")}`,
    fix: "choose one: signalbox models --set provider/model; signalbox models lists them",
  };
}

/** The external recipe runner and its version. Not being installed is not a fault, unless a variable names it. */
export async function checkRecipeRunner({ env, cwd, readOnly }: Examined): Promise<CheckResult> {
  const id = "recipe-runner";
  const isChosen = (env[RUNNER_VARIABLE] ?? "") !== "";
  try {
    const found = findRunner(env, cwd);
    if (readOnly)
      return { id, status: "ok", summary: `${found.path} (from ${found.from}); not started inside a session` };
    const { path, from, version, sha256 } = await checkRunner(found, cleanEnvironment(env));
    const use = isChosen ? `${RUNNER_VARIABLE} chooses it` : "used with --engine rust";
    return {
      id,
      status: "ok",
      summary: `${version} at ${path} (from ${from}), sha256 ${sha256.slice(0, 12)}…; ${use}`,
      facts: { path, version, sha256 },
    };
  } catch (error) {
    if (!isUserError(error)) throw error;
    if (!isChosen && error.exitCode === RECIPE_EXIT.notFound)
      return { id, status: "absent", summary: "not installed; only --engine rust needs it", fix: error.fix };
    const { message, where, fix } = error;
    return { id, status: isChosen ? "fail" : "warn", summary: `${message} (${where})`, fix };
  }
}
