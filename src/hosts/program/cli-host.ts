import { findBinary } from "../../agents/find-binary.ts";
import type { HeadlessMode } from "../../agents/pack/headless-mode.ts";
import type { AgentRecord } from "../../agents/pack/record-fields.ts";
import { type HostJob, type HostPlace, type OpenHost, ProtocolError } from "../../backplane/host.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { decodeLines } from "../../lib/decode-lines.ts";
import { parseExactJson } from "../../lib/exact-json.ts";
import { isRecord, strings } from "../../lib/is-record.ts";
import { UserError } from "../../lib/user-error.ts";
import { composePrompt, isPassthrough } from "./compose-prompt.ts";
import { describeProgramEnd, workspaceRoots } from "./program.ts";
import { type AgentStarter, identifyAgent } from "./start-agent.ts";

/** A host for an agent's own program and its stream of JSON records. */
export function cliHost(mode: HeadlessMode, starter: AgentStarter, env: NodeJS.ProcessEnv): OpenHost {
  const { agent, capabilities } = mode;
  // Only checks that it is installed; nothing starts before the workspace is known.
  findBinary(agent, env, []);
  return async (place) => {
    const identity = await identifyAgent(agent, env, workspaceRoots(place));
    return {
      backend: { id: agent.name, backend_version: identity.version, adapter_version: "1" },
      capabilities,
      agent: identity,
      holds: starter.holds,
      run: (job) => follow(job, { mode, starter, place }),
      async [Symbol.asyncDispose]() {},
    };
  };
}

interface Following {
  readonly mode: HeadlessMode;
  readonly starter: AgentStarter;
  readonly place: HostPlace;
}

async function* follow(job: HostJob, { mode, starter, place }: Following): AsyncGenerator<AgentEvent, HostEnd> {
  const { order, runId, signal } = job;
  const { agent } = mode;
  const prompt = composePrompt(job);
  yield* prompt.warnings;
  const own = vendorFlags(order, agent.name);
  const flags = [...mode.flags(order), ...(own.length > 0 ? own : starter.flags(agent))];
  const { folder, root, env } = place;
  const notes: string[] = [];
  await using program = await starter.start({
    agent,
    flags,
    prompt: prompt.text,
    cwd: root,
    workspaceRoots: workspaceRoots(place),
    env,
    runId,
    folder,
    job,
    note: (text) => void notes.push(text),
  });
  for (const message of notes) yield newEvent({ type: "warning", message });
  const end = () => void program[Symbol.asyncDispose]();
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  const reader = mode.open();
  const passthrough = isPassthrough(order.config.vendor);
  for await (const line of readRecords(program.output)) {
    if ("notice" in line) yield line.notice;
    else for (const event of reader.read(line.record)) yield passthrough ? withRaw(event, line.record) : event;
  }
  const result = reader.end();
  if (result === undefined)
    throw new ProtocolError(`${agent.title} ended without a result: ${await describeProgramEnd(program)}`);
  return { ...result, mode: passthrough ? "passthrough" : "mapped" };
}

const withRaw = (event: AgentEvent, record: AgentRecord): AgentEvent => ({
  ...event,
  ext: { ...event.ext, raw_message: record },
});

/** Flags for the agent from the order. They replace the starter's flags. */
function vendorFlags({ config }: WorkOrder, name: string): readonly string[] {
  const vendor = config.vendor[name];
  const value = isRecord(vendor) ? vendor["flags"] : undefined;
  const flags = value === undefined ? [] : strings(value);
  if (flags !== undefined) return flags;
  throw new UserError("the flags must be an array of strings", {
    where: `config.vendor.${name}.flags`,
    fix: 'for example ["--verbose"]',
  });
}

/** An agent's JSON lines. Any other line becomes a notice, because agents print those between their records. */
async function* readRecords(
  output: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ record: AgentRecord } | { notice: AgentEvent }> {
  for await (const line of decodeLines(output)) {
    const record = "fault" in line ? undefined : parseRecord(line.text);
    const printed = "fault" in line ? line.fault : line.text.slice(0, 500);
    yield record === undefined
      ? { notice: newEvent({ type: "warning", message: `the agent printed: ${printed}` }) }
      : { record };
  }
}

function parseRecord(text: string): AgentRecord | undefined {
  try {
    const value = parseExactJson(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
