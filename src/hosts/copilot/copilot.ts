import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { copilot } from "../../agents/copilot/program.ts";
import { findBinary } from "../../agents/find-binary.ts";
import { isLoginError } from "../../agents/pack/records.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { type Capabilities, CODING_AGENT, type SupportLevel } from "../../contract/capability.ts";
import type { HostEnd } from "../../contract/receipt.ts";
import { findWorkspace } from "../../lib/path/workspace.ts";
import { EXIT, isUserError, messageOf, UserError } from "../../lib/text/user-error.ts";
import type { Host, HostJob, HostPlace, OpenHost } from "../../receipts/host.ts";
import { sandboxRequirement, workspaceRoots } from "../program/program.ts";
import type { AgentStarter } from "../program/start-agent.ts";
import { openJsonOutput } from "./json-output.ts";
import { explainNothing, legacyRunner } from "./legacy.ts";
import { missedWarning, type OpenedWay, sessionSettings } from "./session-settings.ts";
import {
  COPILOT_BACKEND,
  type CopilotSettings,
  copilotSettings,
  type CopilotTransport,
  UNKNOWN_COPILOT,
} from "./settings.ts";

/**
 * GitHub Copilot through any available transport. If one fails before it has done anything, the next one is tried.
 * After that, the run fails, because work is never done twice.
 */
export function copilotHost(env: NodeJS.ProcessEnv, starter: AgentStarter): OpenHost {
  const settings = copilotSettings(env);
  const { transports, isUnset } = settings;
  // Only its own program calls our hooks, and so runs its commands in our sandbox.
  const order: readonly CopilotTransport[] =
    isUnset && starter.holds ? ["legacy", ...transports.filter((each) => each !== "legacy")] : transports;
  return async (place) => {
    const state: { host: Host | undefined } = { host: undefined };
    const open = async (transport: CopilotTransport, job: HostJob): Promise<OpenedWay | undefined> => {
      const required = starter.requiresSandbox === true ? "--require-sandbox" : sandboxRequirement(place.policy);
      const isOther = transport !== "legacy" || (settings.adapterModule ?? settings.runner) !== undefined;
      if (isOther && required !== undefined) throw notContained(transport, required);
      if (transport !== "legacy" && settings.adapterModule === undefined) refusePrograms(place);
      return await openTransport(transport, place, job, { settings, env, starter });
    };
    return {
      backend: COPILOT_BACKEND,
      capabilities: copilotCapabilities(settings, starter.holds),
      get agent() {
        return state.host?.agent ?? UNKNOWN_COPILOT;
      },
      get holds() {
        return state.host?.holds ?? false;
      },
      containment: () => state.host?.containment?.(),
      run: (job) => runFirst(job, order, open, state),
      [Symbol.asyncDispose]: async () => await state.host?.[Symbol.asyncDispose](),
    };
  };
}

async function* runFirst(
  job: HostJob,
  transports: readonly CopilotTransport[],
  open: (transport: CopilotTransport, job: HostJob) => Promise<OpenedWay | undefined>,
  state: { host: Host | undefined },
): AsyncGenerator<AgentEvent, HostEnd> {
  for (const transport of transports) {
    const last = transport === transports.at(-1);
    let touched = false;
    try {
      const opened = await open(transport, job);
      if (opened === undefined && !last) continue;
      if (opened === undefined) return yield* explainNothing(job);
      const { host, missed } = opened;
      state.host = host;
      yield* missedWarning(missed, transport);
      const events = host.run(job);
      let next = await events.next();
      for (; next.done !== true; next = await events.next()) {
        touched ||= next.value.type !== "warning";
        yield next.value;
      }
      yield* unknownFacts(host, next.value, transport);
      return next.value;
    } catch (error) {
      if (!touched && isLoginError(messageOf(error))) throw notLoggedIn(error);
      if (touched || last || job.signal.aborted || isRefusalOf(transport, error)) throw error;
      const why = messageOf(error);
      yield newEvent({ type: "warning", message: `cannot reach Copilot through ${transport}: ${why}` });
    }
    await state.host?.[Symbol.asyncDispose]();
    state.host = undefined;
  }
  return yield* explainNothing(job);
}

/** Every way to reach Copilot uses the same login, so no other one is tried. */
const notLoggedIn = (cause: unknown) =>
  new UserError("Copilot is not logged in", {
    where: "copilot",
    fix: "start 'signalbox copilot' and type /login, or set GH_TOKEN",
    exitCode: EXIT.failed,
    isAboutAccess: true,
    cause,
  });

/** What Copilot does not report this way, so that its absence from the receipt is not taken for zero. */
function unknownFacts({ agent }: Host, { usage }: HostEnd, transport: CopilotTransport): readonly AgentEvent[] {
  const missing = [
    ...(Object.values(usage).every((value) => value === null) ? ["usage"] : []),
    ...(agent.version === null ? ["version"] : []),
    ...(agent.binary_sha256 === null ? ["program"] : []),
  ];
  const message = `Copilot did not report over ${transport}: ${missing.join(", ")}`;
  return missing.length === 0 ? [] : [newEvent({ type: "warning", message })];
}

/** What the guard refuses must not run another way. */
const isRefusalOf = (transport: CopilotTransport, error: unknown) =>
  transport === "legacy" && isUserError(error) && error.exitCode === EXIT.refused;

const notContained = (transport: CopilotTransport, where: string) =>
  new UserError(
    `a sandbox is required, but commands of Copilot ${transport === "legacy" ? "through another program" : `over ${transport}`} cannot run in one`,
    {
      where,
      fix: "unset the ABP_COPILOT_ variables, so that Copilot CLI itself is started",
      exitCode: EXIT.refused,
    },
  );

interface Reached {
  readonly settings: CopilotSettings;
  readonly env: NodeJS.ProcessEnv;
  readonly starter: AgentStarter;
}

/** Opens a transport; undefined if none is configured. */
async function openTransport(
  transport: CopilotTransport,
  place: HostPlace,
  { order, followUp }: HostJob,
  { settings, env, starter }: Reached,
): Promise<OpenedWay | undefined> {
  const { adapterModule, runner, allowAlways } = settings;
  const settled = sessionSettings(order);
  // A later round continues the conversation of the one before, whichever that was.
  const wanted = followUp === undefined ? settled : { ...settled, sessionId: undefined };
  if (adapterModule !== undefined)
    return { host: await (await import("./adapter-module.ts")).openAdapter(adapterModule), missed: [] };
  if (transport === "sdk")
    return { host: await (await import("./sdk.ts")).openSdk(place, settings, env), missed: wanted.unusable };
  if (transport === "acp") return await (await import("./copilot-acp.ts")).openCopilotAcp(place, settings, wanted, env);
  if (runner !== undefined) return { host: await legacyRunner(runner, env)(place), missed: [] };
  try {
    findBinary(copilot, env, workspaceRoots(place));
  } catch (error) {
    if (isUserError(error) && error.exitCode === EXIT.notFound) return undefined;
    throw error;
  }
  const { host, missed } = await openJsonOutput(place, wanted, starter, env);
  // Its hooks answer for the machine's policy, which has nobody to ask.
  const unused = allowAlways.length === 0 ? [] : ["ABP_COPILOT_PERMISSION_ALLOW_ALWAYS_TOOLS"];
  return { host, missed: [...missed, ...unused] };
}

/**
 * Through the SDK and ACP, Copilot trusts its folder, so the repository's hooks and servers would run without approval.
 */
function refusePrograms({ root }: HostPlace): void {
  const file = programFile(root);
  if (file === undefined) return;
  throw new UserError(`${file} would start the repository's programs there`, {
    where: "ABP_COPILOT_TRANSPORT",
    fix: "unset it, or set it to legacy, which runs Copilot with our hooks and without the repository's",
    exitCode: EXIT.refused,
  });
}

const restricted = (reason: string): SupportLevel => ({ restricted: { reason } });

/** What Copilot itself can do in a run. The names are those of our predecessor's host. */
const COPILOT: Capabilities = {
  ...CODING_AGENT,
  tool_web_search: restricted("by GitHub's own MCP server, which needs a login"),
  tool_web_fetch: "native",
  structured_output_json_schema: "unsupported",
  hooks_pre_tool_use: "native",
  hooks_post_tool_use: "native",
  session_resume: "native",
  session_fork: "unsupported",
  // The snapshot that signalbox takes before a run.
  checkpointing: "emulated",
  mcp_client: "native",
  mcp_server: "unsupported",
  // Nobody could answer in a run.
  tool_ask_user: "unsupported",
};

const BY_HOOKS = "only with its own program and our hooks, which ABP_COPILOT_TRANSPORT=legacy uses";

/** What Copilot can do the way it is reached. `holds` is true if its own program starts with our hooks. */
export function copilotCapabilities(settings: CopilotSettings, holds: boolean): Capabilities {
  const { adapterModule, runner, transports, isUnset } = settings;
  const [only, ...more] = transports;
  const usesOther = adapterModule !== undefined || (runner !== undefined && (only === "legacy" || more.length > 0));
  if (usesOther) {
    const unknown = restricted("depends on the program that reaches Copilot");
    const names = Object.entries(COPILOT).map(([name, level]) => [name, level === "unsupported" ? level : unknown]);
    return { ...Object.fromEntries(names), streaming: "native", checkpointing: "emulated" };
  }
  if ((isUnset || only === "legacy") && holds) return COPILOT;
  return {
    ...COPILOT,
    hooks_pre_tool_use:
      only === "sdk" && more.length === 0
        ? "native"
        : restricted("over ACP, what Copilot asks about; over its SDK and with our hooks, all"),
    hooks_post_tool_use: restricted(BY_HOOKS),
  };
}

/** Files that make Copilot start programs in a trusted folder. */
const FILES = [
  ".mcp.json",
  ".github/mcp.json",
  ".vscode/mcp.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".github/copilot/settings.json",
  ".github/copilot/settings.local.json",
];

const HOOKS = ".github/hooks";

/** The first file of the repository around `cwd` that could make Copilot start programs once it trusts the folder. */
export function programFile(cwd: string): string | undefined {
  const here = realpathSync(cwd);
  const top = findWorkspace(here);
  for (let folder = here; ; folder = dirname(folder)) {
    const found = [
      ...FILES.filter((name) => existsSync(join(folder, name))),
      ...namesIn(join(folder, HOOKS))
        .filter((name) => name.endsWith(".json"))
        .map((name) => join(HOOKS, name)),
    ];
    if (found[0] !== undefined) return join(folder, found[0]);
    if (folder === top || folder === dirname(folder)) return undefined;
  }
}
