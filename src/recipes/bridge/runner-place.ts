import { delimiter } from "node:path";
import { AGENT_VARIABLES } from "../../agents/active-agent.ts";
import { type ContainmentFacts, uncontained } from "../../contract/seal.ts";
import { safePath } from "../../lib/path/inside.ts";
import { cleanEnvironment } from "../../lib/process/dangerous-variables.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { openSnapshotSession } from "../../snapshots/open-session.ts";
import { type ContainmentPlace, openRecipeContainment } from "../shell/place-command.ts";

interface RunnerPlaceParts extends ContainmentPlace {
  /** Steps that start an agent. */
  readonly agentSteps: readonly string[];
}

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
export async function openRunnerPlace(parts: RunnerPlaceParts): Promise<RunnerPlace> {
  const { policy, agentSteps } = parts;
  const isRequired = parts.requireSandbox || policy.sandbox === "workspace" || policy.sandbox === "strict";
  if (agentSteps.length > 0) {
    const which = `the recipe starts agents (${agentSteps.slice(0, 5).join(", ")}${agentSteps.length > 5 ? " …" : ""})`;
    if (isRequired) throw required(which);
    return await outside(parts, `${which}, which cannot work inside`);
  }
  if (policy.sandbox === "off" && !isRequired) return await outside(parts, "the policy sets sandbox: off");
  const containment = openRecipeContainment(parts);
  await containment.require();
  const { argv, inside } = await containment.argv(LABEL, [LABEL]);
  if (!inside) {
    const because = containment.facts()?.because ?? "there is no sandbox";
    await containment[Symbol.asyncDispose]();
    return await outside(parts, because);
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

async function outside({ policy, home, runId }: RunnerPlaceParts, because: string): Promise<RunnerPlace> {
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
  /** Undefined for our own engine. */
  readonly loginVariables: readonly string[] | undefined;
}

interface EnvironmentPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workspace: string;
  readonly agent: RunnerAgent;
  /** Whether the recipe starts agents, which need their settings and login. */
  readonly startsAgents: boolean;
  /** Variables that the policy lets commands have. */
  readonly passVariables: readonly string[];
  /** Stands first on PATH. */
  readonly shims: string | undefined;
  /** The program that starts agents for the runner: our own. */
  readonly launcher: string;
  readonly runId: string;
}

/**
 * The environment of the external runner, an allow-list. The depth of sessions is added when it is started. It does not
 * have RECIPE_RUNNER_RS_PATH, so recipes that agents start inside are run by us.
 */
export function runnerEnvironment(place: EnvironmentPlace): Readonly<Record<string, string>> {
  const { env, agent, shims, runId } = place;
  const login = place.startsAgents ? (agent.loginVariables ?? []) : [];
  const kept = [...place.passVariables, ...login];
  const isAllowed = (name: string) =>
    ALLOWED.has(name) ||
    kept.includes(name) ||
    name.startsWith("LC_") ||
    (name.startsWith("SIGNALBOX_") && !NOT_PASSED.test(name)) ||
    (place.startsAgents && name.startsWith(`${agent.name.toUpperCase()}_`));
  const passed = Object.entries(cleanEnvironment(env, kept)).filter(([name]) => isAllowed(name));
  const path = safePath(env, place.workspace);
  return {
    ...Object.fromEntries(passed),
    PATH: shims === undefined ? path : `${shims}${delimiter}${path}`,
    ...Object.fromEntries(AGENT_VARIABLES.map((variable) => [variable, agent.name])),
    AMPLIHACK_MAX_SESSIONS: valid(env["AMPLIHACK_MAX_SESSIONS"], /^\d{1,3}$/) ?? MAX_SESSIONS,
    AMPLIHACK_TREE_ID: valid(env["AMPLIHACK_TREE_ID"], /^[\w-]{1,64}$/) ?? runId.slice(0, 8),
    // Agent steps start agents through this program, so they are guarded.
    AMPLIHACK_LAUNCHER_BINARY: place.launcher,
    RECIPE_RUNNER_NO_UPDATE_CHECK: "1",
  };
}

const valid = (value: string | undefined, form: RegExp) =>
  value !== undefined && form.test(value) ? value : undefined;
