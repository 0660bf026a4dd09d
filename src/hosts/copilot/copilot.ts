import { copilot } from "../../agents/copilot/program.ts";
import { isLoginError } from "../../agents/login-error.ts";
import { findBinary } from "../../agents/find-binary.ts";
import type { Host, HostJob, HostPlace, OpenHost } from "../../backplane/host.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import { toolKind } from "../../guard/judge/tool-kind.ts";
import { messageOf } from "../../lib/message-of.ts";
import { EXIT, isUserError, UserError } from "../../lib/user-error.ts";
import { workspaceRoots } from "../program/program.ts";
import type { AgentStarter } from "../program/start-agent.ts";
import { copilotCapabilities } from "./capabilities.ts";
import { jsonOutput } from "./json-output.ts";
import { explainNothing, legacyRunner } from "./legacy.ts";
import { sandboxRequirement } from "../program/uncontained.ts";
import { programFile } from "./repository-programs.ts";
import { missedWarning, sessionSettings } from "./session-settings.ts";
import { type CopilotSettings, copilotSettings, type CopilotTransport } from "./settings.ts";

export const COPILOT_BACKEND = { id: "github_copilot_sdk", backend_version: null, adapter_version: "1" };

interface CopilotParts {
  readonly env: NodeJS.ProcessEnv;
  readonly starter: AgentStarter;
  readonly version: string;
}

/**
 * GitHub Copilot through any available transport. If one fails before it has done anything, the next one is tried.
 * After that, the run fails, because work is never done twice.
 */
export function copilotHost(parts: CopilotParts): OpenHost {
  const settings = copilotSettings(parts.env);
  return async (place) => {
    const state: { host: Host | undefined } = { host: undefined };
    return {
      backend: COPILOT_BACKEND,
      capabilities: copilotCapabilities(settings, parts.starter.holds),
      get agent() {
        return state.host?.agent ?? { name: "copilot", version: null, binary_sha256: null };
      },
      get holds() {
        return state.host?.holds ?? false;
      },
      containment: () => state.host?.containment?.(),
      run: (job) => runFirst(job, { parts, settings, place, state }),
      [Symbol.asyncDispose]: async () => await state.host?.[Symbol.asyncDispose](),
    };
  };
}

interface Attempt {
  readonly parts: CopilotParts;
  readonly settings: CopilotSettings;
  readonly place: HostPlace;
  readonly state: { host: Host | undefined };
}

async function* runFirst(job: HostJob, attempt: Attempt): AsyncGenerator<AgentEvent, HostEnd> {
  const transports = transportsFor(attempt);
  for (const transport of transports) {
    const last = transport === transports.at(-1);
    let touched = false;
    try {
      const open = await openTransport(transport, attempt, job);
      if (open === undefined && !last) continue;
      if (open === undefined) return yield* explainNothing(job);
      const { host, missed } = await open(attempt.place);
      attempt.state.host = host;
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
    await attempt.state.host?.[Symbol.asyncDispose]();
    attempt.state.host = undefined;
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

/** Only its own program calls our hooks, and so runs its commands in our sandbox. */
function transportsFor({ settings, parts }: Attempt): readonly CopilotTransport[] {
  const { transports, isUnset } = settings;
  return isUnset && parts.starter.holds ? ["legacy", ...transports.filter((each) => each !== "legacy")] : transports;
}

/** What the guard refuses must not run another way. */
const isRefusalOf = (transport: CopilotTransport, error: unknown) =>
  transport === "legacy" && isUserError(error) && error.exitCode === EXIT.refused;

/** Opens a host, and names the order's settings that it cannot pass on. */
type OpenWay = (place: HostPlace) => Promise<{ readonly host: Host; readonly missed: readonly string[] }>;

const missing =
  (open: OpenHost, missed: readonly string[] = []): OpenWay =>
  async (place) => ({ host: await open(place), missed });

/** Opens a transport; undefined if none is configured. */
async function openTransport(
  transport: CopilotTransport,
  { settings, parts, place }: Attempt,
  { order, followUp }: HostJob,
): Promise<OpenWay | undefined> {
  const { env, starter, version } = parts;
  const settled = sessionSettings(order);
  // A later round continues the conversation of the one before, whichever that was.
  const wanted = followUp === undefined ? settled : { ...settled, sessionId: undefined };
  const required = starter.requiresSandbox === true ? "--require-sandbox" : sandboxRequirement(place.policy);
  const isOther = transport !== "legacy" || (settings.adapterModule ?? settings.runner) !== undefined;
  const way = transport === "legacy" ? "through another program" : `over ${transport}`;
  if (isOther && required !== undefined)
    throw new UserError(`a sandbox is required, but commands of Copilot ${way} cannot run in one`, {
      where: required,
      fix: "unset the ABP_COPILOT_ variables, so that Copilot CLI itself is started",
      exitCode: EXIT.refused,
    });
  if (settings.adapterModule !== undefined)
    return missing(await (await import("./adapter-module.ts")).adapterHost(settings.adapterModule));
  if (transport !== "legacy") refusePrograms(place);
  const isApproved = approves(settings.allowAlways);
  if (transport === "sdk") {
    const sdk = await import("./sdk.ts");
    return missing(await sdk.sdkHost({ module: settings.sdkModule, env, isApproved }), wanted.unusable);
  }
  if (transport === "acp")
    return (await import("./copilot-acp.ts")).copilotAcp(settings, { env, version, wanted, isApproved });
  if (settings.runner !== undefined) return missing(legacyRunner(settings.runner, env));
  try {
    findBinary(copilot, env, workspaceRoots(place));
  } catch (error) {
    if (isUserError(error) && error.exitCode === EXIT.notFound) return undefined;
    throw error;
  }
  return jsonOutput(wanted, parts, settings);
}

/** Whether one of these names means a tool, in any agent's spelling. */
const approves = (names: readonly string[]) => (tool: string) =>
  names.some((name) => name === tool || (toolKind(name) !== "unknown" && toolKind(name) === toolKind(tool)));

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
