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
import { composePrompt, isPassthrough, withRaw } from "./compose-prompt.ts";
import { describeProgramEnd, workspaceRoots } from "./program.ts";
import { type AgentStarter, identifyAgent, type StartedAgent } from "./start-agent.ts";

/** A host for an agent's own program and its stream of JSON records. */
export function cliHost(mode: HeadlessMode, starter: AgentStarter, env: NodeJS.ProcessEnv): OpenHost {
  const { agent, capabilities } = mode;
  // Only checks that it is installed; nothing starts before the workspace is known.
  findBinary(agent, env, []);
  return async (place) => {
    const identity = await identifyAgent(agent, env, workspaceRoots(place));
    let started: StartedAgent | undefined;
    const starting: AgentStarter = {
      ...starter,
      start: async (request) => (started = await starter.start(request)),
    };
    return {
      backend: { id: agent.name, backend_version: identity.version, adapter_version: "1" },
      capabilities,
      agent: identity,
      holds: starter.holds,
      containment: () => started?.containment?.(),
      run: (job) => follow(job, { mode, starter: starting, place, version: identity.version }),
      async [Symbol.asyncDispose]() {},
    };
  };
}

interface Following {
  readonly mode: HeadlessMode;
  readonly starter: AgentStarter;
  readonly place: HostPlace;
  readonly version: string | null;
}

async function* follow(
  job: HostJob,
  { mode, starter, place, version }: Following,
): AsyncGenerator<AgentEvent, HostEnd> {
  const { order, runId, signal } = job;
  const { agent } = mode;
  const prompt = composePrompt(job);
  yield* prompt.warnings;
  const own = vendorFlags(order, agent.name);
  const flags = (contained: boolean) => [
    ...mode.flags(order, version),
    ...(own.length > 0 ? own : starter.flags(agent, contained)),
  ];
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
  for await (const line of mode.printsOneDocument ? readDocument(program.output) : readRecords(program.output)) {
    if ("notice" in line) yield line.notice;
    else for (const event of reader.read(line.record)) yield passthrough ? withRaw(event, line.record) : event;
  }
  const result = reader.end();
  if (result === undefined)
    throw new ProtocolError(`${agent.title} ended without a result: ${await describeProgramEnd(program)}`);
  return { ...result, mode: passthrough ? "passthrough" : "mapped" };
}

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

interface PrintedRecord {
  readonly record: AgentRecord;
}

interface PrintedNotice {
  readonly notice: AgentEvent;
}

const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** The JSON document that an agent prints. Lines before it become notices. */
async function* readDocument(output: AsyncIterable<Uint8Array>): AsyncGenerator<PrintedRecord | PrintedNotice> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of output) {
    size += chunk.length;
    if (size > MAX_DOCUMENT_BYTES) throw new ProtocolError(`the agent printed more than ${MAX_DOCUMENT_BYTES} bytes`);
    chunks.push(chunk);
  }
  const lines = Buffer.concat(chunks).toString("utf8").split("\n");
  const start = lines.findIndex((line) => line.startsWith("{"));
  const record = start === -1 ? undefined : parseRecord(lines.slice(start).join("\n"));
  const others = record === undefined ? lines : lines.slice(0, start);
  for (const line of others.filter((text) => text.trim() !== "").slice(0, MAX_NOTICES)) yield { notice: notice(line) };
  if (record !== undefined) yield { record };
}

const MAX_NOTICES = 20;

const notice = (printed: string) =>
  newEvent({ type: "warning", message: `the agent printed: ${printed.slice(0, 500)}` });

/** An agent's JSON lines. Any other line becomes a notice, because agents print those between their records. */
async function* readRecords(output: AsyncIterable<Uint8Array>): AsyncGenerator<PrintedRecord | PrintedNotice> {
  for await (const line of decodeLines(output)) {
    const record = "fault" in line ? undefined : parseRecord(line.text);
    yield record === undefined ? { notice: notice("fault" in line ? line.fault : line.text) } : { record };
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
