import { copilot } from "../../agents/copilot/program.ts";
import { findBinary } from "../../agents/find-binary.ts";
import type { HeadlessMode } from "../../agents/pack/headless-mode.ts";
import type { Host, HostJob, HostPlace, OpenHost } from "../../backplane/host.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { Capabilities, SupportLevel } from "../../contract/capability.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import { messageOf } from "../../lib/message-of.ts";
import { EXIT, isUserError, UserError } from "../../lib/user-error.ts";
import { cliHost } from "../program/cli-host.ts";
import { workspaceRoots } from "../program/program.ts";
import type { AgentStarter } from "../program/start-agent.ts";
import { explainNothing, legacyRunner } from "./legacy.ts";
import { openCopilotReader } from "./records.ts";
import { programFile } from "./repository-programs.ts";
import { type CopilotSettings, copilotSettings, type CopilotTransport } from "./settings.ts";

const UNTRIED: SupportLevel = { restricted: { reason: "Copilot offers it, but our tests do not cover it" } };
const ASKED: SupportLevel = { restricted: { reason: "depends on the transport" } };

/** The capabilities of our predecessor's host. "native" means that our tests observe it. */
export const COPILOT_CAPABILITIES: Capabilities = {
  streaming: "native",
  tool_bash: "native",
  tool_read: UNTRIED,
  tool_write: UNTRIED,
  tool_edit: UNTRIED,
  tool_glob: UNTRIED,
  tool_grep: UNTRIED,
  tool_web_search: UNTRIED,
  tool_web_fetch: UNTRIED,
  structured_output_json_schema: "unsupported",
  hooks_pre_tool_use: ASKED,
  hooks_post_tool_use: "unsupported",
  session_resume: "unsupported",
  session_fork: "unsupported",
  checkpointing: "unsupported",
  mcp_client: UNTRIED,
  mcp_server: "unsupported",
  tool_ask_user: "unsupported",
};

export const COPILOT_BACKEND = { id: "github_copilot_sdk", backend_version: null, adapter_version: "1" };

/** Copilot CLI through `copilot --output-format json`, if nothing better is available. */
const jsonMode: HeadlessMode = {
  agent: copilot,
  capabilities: COPILOT_CAPABILITIES,
  flags: ({ config }) => [
    "--output-format",
    "json",
    "--no-auto-update",
    ...(config.model === null ? [] : ["--model", config.model]),
  ],
  open: openCopilotReader,
};

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
      capabilities: COPILOT_CAPABILITIES,
      get agent() {
        return state.host?.agent ?? { name: "copilot", version: null, binary_sha256: null };
      },
      get holds() {
        return state.host?.holds ?? false;
      },
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
  const { transports } = attempt.settings;
  for (const transport of transports) {
    const last = transport === transports.at(-1);
    let touched = false;
    try {
      const open = await openTransport(transport, attempt);
      if (open === undefined) return yield* explainNothing(job);
      attempt.state.host = await open(attempt.place);
      const events = attempt.state.host.run(job);
      let next = await events.next();
      for (; next.done !== true; next = await events.next()) {
        touched ||= next.value.type !== "warning";
        yield next.value;
      }
      return next.value;
    } catch (error) {
      if (touched || last || job.signal.aborted) throw error;
      const why = messageOf(error);
      yield newEvent({ type: "warning", message: `cannot reach Copilot through ${transport}: ${why}` });
    }
    await attempt.state.host?.[Symbol.asyncDispose]();
    attempt.state.host = undefined;
  }
  return yield* explainNothing(job);
}

/** Opens a transport; undefined if none is configured. */
async function openTransport(
  transport: CopilotTransport,
  { settings, parts, place }: Attempt,
): Promise<OpenHost | undefined> {
  const { env, starter, version } = parts;
  if (settings.adapterModule !== undefined)
    return (await import("./adapter-module.ts")).adapterHost(settings.adapterModule);
  if (transport !== "legacy") refusePrograms(place);
  if (transport === "sdk") return (await import("./sdk.ts")).sdkHost(settings.sdkModule, env);
  if (transport === "acp") return (await import("./copilot-acp.ts")).copilotAcp(settings, { env, version });
  if (settings.runner !== undefined) return legacyRunner(settings.runner, env);
  try {
    findBinary(copilot, env, workspaceRoots(place));
  } catch (error) {
    if (isUserError(error) && error.exitCode === EXIT.notFound) return undefined;
    throw error;
  }
  return cliHost(jsonMode, starter, env);
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
