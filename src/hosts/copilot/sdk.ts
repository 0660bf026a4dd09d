import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { copilot } from "../../agents/copilot/program.ts";
import { findBinary, type FoundBinary, nativeProgram } from "../../agents/find-binary.ts";
import { type AgentRecord, sessionOf, textOf } from "../../agents/pack/records.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { HostEnd } from "../../contract/receipt.ts";
import { childEnvironment } from "../../launch/child-environment.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { asyncQueue } from "../../lib/process/tasks.ts";
import { errorCode, messageOf } from "../../lib/text/user-error.ts";
import type { Decide, Host, HostJob, HostPlace } from "../../receipts/host.ts";
import { composePrompt, notResumed, openMode } from "../program/compose-prompt.ts";
import { workspaceRoots } from "../program/program.ts";
import { identifyAgent } from "../program/start-agent.ts";
import { openCopilotReader } from "./json-output.ts";
import { endClient, isSdkClient, type SdkClient, type SdkSession, watchProgram } from "./sdk-client.ts";
import { sessionSettings } from "./session-settings.ts";
import { COPILOT_BACKEND, type CopilotSettings, UNKNOWN_COPILOT } from "./settings.ts";

interface Sdk {
  readonly CopilotClient: new (options: object) => object;
  readonly RuntimeConnection?: { readonly forStdio: (options: { path: string }) => unknown };
}

const isSdk = (value: unknown): value is Sdk => isRecord(value) && typeof value["CopilotClient"] === "function";

/** Copilot through its SDK. Every tool waits for the guard, both in the hook and in the permission handler. */
export async function openSdk(
  place: HostPlace,
  { sdkModule, isApproved }: CopilotSettings,
  env: NodeJS.ProcessEnv,
): Promise<Host> {
  const sdk = await loadSdk(sdkModule);
  const own = childEnvironment(copilot, { ...env, ...place.env }, place.runId);
  const program = () => sdkProgram(findBinary(copilot, env, workspaceRoots(place)));
  const connection = sdk.RuntimeConnection?.forStdio({ path: program() });
  const client = new sdk.CopilotClient({
    workingDirectory: place.root,
    env: own,
    useLoggedInUser: true,
    ...(connection === undefined ? {} : { connection }),
  });
  if (!isSdkClient(client)) throw new Error(`${sdkModule} is not the Copilot SDK`);
  // With its own runtime, the SDK does not say which program it started.
  const agent = connection === undefined ? UNKNOWN_COPILOT : await identifyAgent(copilot, env, place);
  await client.start();
  return {
    backend: COPILOT_BACKEND,
    capabilities: { streaming: "native", hooks_pre_tool_use: "native" },
    agent,
    holds: true,
    run: (job) => converse(job, client, { ...ownProvider(own), ...sdkGate(job, isApproved) }),
    [Symbol.asyncDispose]: () => endClient(client),
  };
}

async function loadSdk(module: string): Promise<Sdk> {
  const loaded: unknown = await import(isAbsolute(module) ? pathToFileURL(module).href : module).catch(
    (cause: unknown) => {
      const isMissing = errorCode(cause) === "ERR_MODULE_NOT_FOUND" && messageOf(cause).includes(`'${module}'`);
      throw isMissing ? new Error(`${module} is not installed`, { cause }) : cause;
    },
  );
  const sdk = isSdk(loaded) ? loaded : isRecord(loaded) ? loaded["default"] : undefined;
  if (!isSdk(sdk)) throw new Error(`${module} is not the Copilot SDK`);
  return sdk;
}

/** Without the launcher script, whose guesses about a failure the SDK would print on our stderr. */
const sdkProgram = (binary: FoundBinary): string => nativeProgram(copilot, binary) ?? binary.real;

/** `usual`: the options of its session, where the order wants nothing else. */
async function* converse(job: HostJob, client: SdkClient, usual: object): AsyncGenerator<AgentEvent, HostEnd> {
  const events = asyncQueue<AgentEvent>();
  const { mode, show } = openMode(job);
  using watch = await watchProgram(client);
  watch.gone.catch((error: unknown) => events.end(error));
  const { session, text } = yield* openConversation(job, (sessionId) =>
    Promise.race([openSession(client, job, usual, sessionId), watch.gone]),
  );
  const reader = openCopilotReader();
  const off = session.on((event) => {
    const record: AgentRecord = isRecord(event) ? event : {};
    const raw = mode === "passthrough" ? parseJson(JSON.stringify(record)) : undefined;
    reader.read(record).forEach((told) => events.push(show(told, raw)));
    if (endsTurn(record)) events.end();
  });
  const abort = () => void session.abort().catch(() => undefined);
  job.signal.addEventListener("abort", abort, { once: true });
  // Not the SDK's `sendAndWait`, whose timer would keep our process alive long after the run.
  session.send({ prompt: text }).catch((error: unknown) => {
    // The session has usually reported it already.
    if (!reader.failed()) events.push(newEvent({ type: "error", message: messageOf(error) }));
    events.end();
  });
  let failed = false;
  for await (const event of events) {
    failed ||= event.type === "error";
    yield event;
  }
  off();
  const usage = reader.usage();
  const outcome = job.signal.aborted ? "partial" : failed ? "failed" : "complete";
  const usageRaw = { ...usage, session_id: session.sessionId ?? null };
  return { outcome, mode, usage, usageRaw, session: sessionOf(session, "sessionId") };
}

/** The conversation of the round before, if it can be resumed, or that of the order, or a new one; and what to say. */
async function* openConversation(
  job: HostJob,
  open: (sessionId: string | undefined) => Promise<SdkSession>,
): AsyncGenerator<AgentEvent, { readonly session: SdkSession; readonly text: string }> {
  const { followUp } = job;
  if (followUp !== undefined) {
    try {
      if (followUp.session === undefined) throw new Error("it reported no session id");
      return { session: await open(followUp.session), text: followUp.prompt };
    } catch (error) {
      if (job.signal.aborted) throw error;
      yield notResumed("Copilot", messageOf(error));
    }
  }
  const { text, warnings } = composePrompt(job);
  yield* warnings;
  const wanted = followUp === undefined ? sessionSettings(job.order).sessionId : undefined;
  return { session: await open(wanted), text };
}

/** Whether the agent has finished. In autopilot mode it is idle between the turns that it starts itself. */
function endsTurn({ type, data }: AgentRecord): boolean {
  return type === "session.error" || (type === "session.idle" && !(isRecord(data) && data["mode"] === "autopilot"));
}

/** The Copilot program reads a custom provider from its environment; an SDK session must be set it explicitly. */
function ownProvider(env: NodeJS.ProcessEnv): object {
  const { COPILOT_PROVIDER_BASE_URL: baseUrl, COPILOT_MODEL: model } = env;
  if (baseUrl === undefined || baseUrl === "") return model === undefined ? {} : { model };
  const { COPILOT_PROVIDER_TYPE: type, COPILOT_PROVIDER_WIRE_API: wireApi, COPILOT_PROVIDER_API_KEY: apiKey } = env;
  const provider = {
    type: type ?? "openai",
    baseUrl,
    ...(wireApi === undefined ? {} : { wireApi }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
  return { provider, ...(model === undefined ? {} : { model }) };
}

const TRANSIENT = /\b(429|503|504)\b|rate limit|temporar|timed? ?out|econnreset/i;

const ATTEMPTS = 3;

const FIRST_PAUSE_MS = 1000;

/** The options of a session: what is usual, and what the order wants instead. */
function sessionOptions({ order }: HostJob, usual: object): object {
  const { model, reasoningEffort, systemMessage, availableTools, excludedTools, provider, mcpServers } =
    sessionSettings(order);
  const wanted = {
    model,
    reasoningEffort,
    systemMessage: typeof systemMessage === "string" ? { mode: "append", content: systemMessage } : systemMessage,
    availableTools,
    excludedTools,
    provider,
    mcpServers,
  };
  const overrides = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  return { workingDirectory: order.workspace.root, streaming: true, ...usual, ...overrides };
}

/** Nothing has been done yet, so a transient failure can be retried. */
async function openSession(
  client: SdkClient,
  job: HostJob,
  usual: object,
  sessionId: string | undefined,
): Promise<SdkSession> {
  const options = sessionOptions(job, usual);
  for (let attempt = 1; ; attempt++) {
    try {
      if (sessionId === undefined) return await client.createSession(options);
      if (client.resumeSession === undefined) throw new Error("this SDK cannot continue a session");
      return await client.resumeSession(sessionId, options);
    } catch (error) {
      const passing = error instanceof Error && TRANSIENT.test(error.message);
      if (!passing || attempt >= ATTEMPTS || job.signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
    }
  }
}

/**
 * The two places where the SDK asks before a tool runs. A throw in the hook would let the tool run, so any failure
 * there becomes a denial. In the permission handler, a throw is a denial anyway.
 */
function sdkGate({ decide, judge }: HostJob, isApproved: (tool: string) => boolean) {
  const answer = (ask: Decide, tool: string, input: unknown) => {
    try {
      const { verdict, because } = ask({ tool, input, isApproved: isApproved(tool) });
      return { allowed: verdict === "allow", because };
    } catch (error) {
      return { allowed: false, because: `the guard failed: ${messageOf(error)}` };
    }
  };
  const commands = new Set<string>();
  return {
    hooks: {
      onPreToolUse: (input: unknown) => {
        const toolArgs = isRecord(input) ? readArguments(input["toolArgs"]) : null;
        const { allowed, because } = answer(decide, textOf(input, "toolName"), toolArgs);
        if (allowed && textOf(toolArgs, "command") !== "") commands.add(textOf(toolArgs, "command"));
        return { permissionDecision: allowed ? "allow" : "deny", permissionDecisionReason: because };
      },
    },
    onPermissionRequest: (request: unknown) => {
      const { tool, input } = permissionCall(isRecord(request) ? request : {});
      // The hook has just judged this command with all its arguments.
      if (commands.delete(textOf(input, "command"))) return { kind: "approve-once" };
      // The hook reported this call; here the SDK asks about a part of it.
      const { allowed, because } = answer(judge, tool, input);
      return allowed ? { kind: "approve-once" } : { kind: "reject", feedback: because };
    },
  };
}

function readArguments(value: unknown): unknown {
  if (typeof value !== "string") return value ?? null;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

/** The call behind a permission request, in the guard's form. An unknown kind is treated as an unknown tool. */
function permissionCall(request: Readonly<Record<string, unknown>>): { tool: string; input: unknown } {
  const name = textOf(request, "toolName");
  switch (request["kind"]) {
    case "shell":
      return { tool: "bash", input: { command: request["fullCommandText"] ?? "" } };
    case "write":
      return { tool: "edit", input: { path: request["fileName"] ?? "" } };
    case "read":
      return { tool: "read", input: { path: request["path"] ?? "" } };
    case "url":
      return { tool: "fetch", input: { url: request["url"] ?? "" } };
    case "mcp":
      return { tool: `mcp__${textOf(request, "serverName")}__${name}`, input: request["args"] ?? {} };
    default:
      return { tool: name || "unknown", input: request["args"] ?? {} };
  }
}
