import { join } from "node:path";
import { AGENT_VARIABLES, resolveAgent } from "../../agents/active-agent.ts";
import { findPack, isAgentName } from "../../agents/packs.ts";
import type { Policy } from "../../contract/policy.ts";
import { type ContainmentFacts, uncontained } from "../../contract/seal.ts";
import { safePath } from "../../lib/path/inside.ts";
import { packageFolder } from "../../lib/path/package-folder.ts";
import { cleanEnvironment } from "../../lib/process/dangerous-variables.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { openSnapshotSession } from "../../snapshots/open-session.ts";
import { RECIPE_EXIT } from "../recipe/recipe.ts";
import { type ContainmentSetting, openRecipeContainment, requiresSandbox } from "../shell/place-command.ts";

/** Where the external runner runs. Closing it ends what runs inside. */
export interface RunnerPlace extends AsyncDisposable {
  readonly inside: boolean;
  /** Why it runs outside. */
  readonly because: string;
  readonly argv: (argv: readonly string[]) => readonly string[];
  readonly facts: () => ContainmentFacts;
}

/**
 * Opens the sandbox for the runner and everything that it starts. Agents need their login and their servers, so a
 * recipe that starts one runs outside. A snapshot of the workspace is taken first in both cases.
 */
export async function openRunnerPlace(
  setting: ContainmentSetting,
  readable: readonly string[],
  agentSteps: readonly string[],
): Promise<RunnerPlace> {
  const isRequired = requiresSandbox(setting);
  if (agentSteps.length > 0) {
    const which = `the recipe starts agents (${agentSteps.slice(0, 5).join(", ")}${agentSteps.length > 5 ? " …" : ""})`;
    if (isRequired) throw required(which);
    return await outside(setting, `${which}, which cannot work inside`);
  }
  if (setting.policy.sandbox === "off" && !isRequired) return await outside(setting, "the policy sets sandbox: off");
  const containment = openRecipeContainment(setting, readable);
  await containment.require();
  const { argv, inside } = await containment.argv(LABEL, [LABEL]);
  if (!inside) {
    const because = containment.facts()?.because ?? "there is no sandbox";
    await containment[Symbol.asyncDispose]();
    return await outside(setting, because);
  }
  const [program = ""] = argv;
  return {
    inside,
    because: "",
    argv: (words) => [program, "--", ...words],
    facts: () => containment.facts() ?? uncontained(null),
    [Symbol.asyncDispose]: () => containment[Symbol.asyncDispose](),
  };
}

/** The command under which the containment knows the runner. */
const LABEL = "recipe-runner-rs";

async function outside({ policy, home, runId }: ContainmentSetting, because: string): Promise<RunnerPlace> {
  const snapshot = openSnapshotSession({ home, id: runId, agent: "recipe", workspace: policy.workspaceRoot });
  await snapshot.ready;
  return {
    inside: false,
    because,
    argv: (words) => words,
    facts: () => uncontained(because),
    [Symbol.asyncDispose]: () => snapshot.end(),
  };
}

const required = (which: string) =>
  new UserError(`a sandbox is required, but the external runner cannot run in one here, because ${which}`, {
    where: "--engine rust",
    fix: "use --engine native, which contains the commands of agents",
    exitCode: EXIT.failed,
  });

/** Besides these, only variables of signalbox, and those of the agent where the recipe starts one. */
const ALLOWED = new Set(
  [
    "HOME LOGNAME USER SHELL TERM TZ LANG LANGUAGE TMPDIR TMP TEMP NO_COLOR FORCE_COLOR COLUMNS RUST_LOG",
    "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy",
    "SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS",
    "AMPLIHACK_HOME AMPLIHACK_NONINTERACTIVE AMPLIHACK_SESSION_ID AMPLIHACK_SESSION_DEPTH AMPLIHACK_MAX_DEPTH",
  ].flatMap((line) => line.split(" ")),
);

/** Only for the launcher of one program. */
const NOT_PASSED = /^SIGNALBOX_(?:IGNORED|HOOK_)/;

/** What the ancestor's runner assumes without a value. */
const MAX_SESSIONS = "10";

/** The agent that agent steps use. */
interface RunnerAgent {
  readonly name: string;
  readonly loginVariables: readonly string[];
  /** The program that we stand in for on PATH, if its calls need it. */
  readonly shim: string | undefined;
}

/** The agent that the user named, or the active one. */
export function runnerAgent(named: string | undefined, workingDir: string): RunnerAgent {
  if (named !== undefined && !isAgentName(named))
    throw new UserError(`the external runner cannot start '${named}'`, {
      where: "--agent",
      fix: "name an agent that signalbox can start, or use --engine native",
      exitCode: RECIPE_EXIT.badArguments,
    });
  const active = resolveAgent(workingDir, process.env);
  if (named === undefined) active.warnings.forEach(say);
  const name = named ?? active.agent;
  const pack = findPack(name);
  return {
    name,
    loginVariables: pack?.program.loginVariables ?? [],
    shim: pack?.nested === undefined ? undefined : pack.program.binary,
  };
}

/**
 * The environment of the external runner, an allow-list. The depth of sessions is added when it is started. It does not
 * have RECIPE_RUNNER_RS_PATH, so recipes that agents start inside are run by us.
 */
export function runnerEnvironment(
  { workspaceRoot, passVariables = [] }: Policy,
  { name: agent, loginVariables }: RunnerAgent,
  startsAgents: boolean,
  runId: string,
): Readonly<Record<string, string>> {
  const { env } = process;
  const kept = [...passVariables, ...(startsAgents ? loginVariables : [])];
  const isAllowed = (name: string) =>
    ALLOWED.has(name) ||
    kept.includes(name) ||
    name.startsWith("LC_") ||
    (name.startsWith("SIGNALBOX_") && !NOT_PASSED.test(name)) ||
    (startsAgents && name.startsWith(`${agent.toUpperCase()}_`));
  const passed = Object.entries(cleanEnvironment(env, kept)).filter(([name]) => isAllowed(name));
  return {
    ...Object.fromEntries(passed),
    PATH: safePath(env, workspaceRoot),
    ...Object.fromEntries(AGENT_VARIABLES.map((variable) => [variable, agent])),
    AMPLIHACK_MAX_SESSIONS: valid(env["AMPLIHACK_MAX_SESSIONS"], /^\d{1,3}$/) ?? MAX_SESSIONS,
    AMPLIHACK_TREE_ID: valid(env["AMPLIHACK_TREE_ID"], /^[\w-]{1,64}$/) ?? runId.slice(0, 8),
    // Agent steps start agents through this program, so they are guarded.
    AMPLIHACK_LAUNCHER_BINARY: join(packageFolder(), "bin/signalbox"),
    RECIPE_RUNNER_NO_UPDATE_CHECK: "1",
  };
}

const valid = (value: string | undefined, form: RegExp) =>
  value !== undefined && form.test(value) ? value : undefined;
