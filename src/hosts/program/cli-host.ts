import { findBinary } from "../../agents/find-binary.ts";
import type { Agent } from "../../agents/pack/agent.ts";
import type { AgentRecord, HeadlessMode } from "../../agents/pack/records.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { type HostEnd, usageSince } from "../../contract/receipt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { decodeLines } from "../../lib/text/decode-lines.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { type HostJob, type OpenHost, ProtocolError } from "../../receipts/host.ts";
import { composePrompt, notResumed, openMode } from "./compose-prompt.ts";
import { describeProgramEnd } from "./program.ts";
import { type AgentStarter, identifyAgent, type StartedAgent } from "./start-agent.ts";

/** A host for an agent's own program and its stream of JSON records. */
export function cliHost(mode: HeadlessMode, starter: AgentStarter, env: NodeJS.ProcessEnv): OpenHost {
  const { agent, capabilities } = mode;
  // Only checks that it is installed; nothing starts before the workspace is known.
  findBinary(agent, env, []);
  return async (place) => {
    const identity = await identifyAgent(agent, env, place);
    let started: StartedAgent | undefined;
    const start: Start = async (job, prompt, resumed, note) => {
      const own = vendorFlags(job.order, agent.name);
      const flags = (contained: boolean) => [
        ...mode.flags(job.order, identity.version),
        ...(own.length > 0 ? own : starter.flags(agent, contained)),
        ...resumed,
      ];
      started = await starter.start({ agent, flags, prompt, place, job, note });
      return started;
    };
    return {
      backend: { id: agent.name, backend_version: identity.version, adapter_version: "1" },
      capabilities,
      agent: identity,
      holds: starter.holds,
      containment: () => started?.containment?.(),
      run: (job) => follow(job, mode, start),
      async [Symbol.asyncDispose]() {},
    };
  };
}

/** Starts the agent's program once. `resumed`: the words that continue a conversation. */
type Start = (
  job: HostJob,
  prompt: string,
  resumed: readonly string[],
  note: (text: string) => void,
) => Promise<StartedAgent>;

/** Continues the conversation of the round before, if there is one and the agent can. Otherwise it begins a new one. */
async function* follow(job: HostJob, mode: HeadlessMode, start: Start): AsyncGenerator<AgentEvent, HostEnd> {
  const { agent, totals = [] } = mode;
  const { followUp } = job;
  if (followUp !== undefined && agent.resume !== undefined) {
    const { session, prompt, used } = followUp;
    const resumed = session === undefined ? undefined : agent.resume(session);
    const turn = resumed === undefined ? NOT_BEGUN : yield* takeTurn(job, mode, resumed, start.bind(null, job, prompt));
    if (turn.end !== undefined && (turn.hasWorked || turn.end.outcome === "complete" || job.signal.aborted)) {
      yield* turn.held;
      return { ...turn.end, usage: usageSince(turn.end.usage, used, totals) };
    }
    if (turn.hasWorked || job.signal.aborted) throw endedEarly(agent, turn.how);
    yield notResumed(agent.title, whyNot(turn));
  }
  const { text, warnings } = composePrompt(job);
  yield* warnings;
  const { end, how } = yield* takeTurn(job, mode, [], start.bind(null, job, text));
  if (end === undefined) throw endedEarly(agent, how);
  return end;
}

const endedEarly = ({ title }: Agent, how: string) => new ProtocolError(`${title} ended without a result: ${how}`);

const NOT_BEGUN: ProgramTurn = { end: undefined, how: "it reported no session id", hasWorked: false, held: [] };

const whyNot = ({ held: [error], how }: ProgramTurn) => (error?.type === "error" ? error.message : how);

/** What came of one start of the agent's program. */
interface ProgramTurn {
  /** Undefined when it ended without a result. */
  readonly end: HostEnd | undefined;
  /** How it ended in that case. */
  readonly how: string;
  /** It has said or done something. */
  readonly hasWorked: boolean;
  /** Errors of a start that was to continue a conversation and has done nothing. */
  readonly held: readonly AgentEvent[];
}

/** Starts the agent's program once and reads what it prints. */
async function* takeTurn(
  job: HostJob,
  mode: HeadlessMode,
  resumed: readonly string[],
  start: (resumed: readonly string[], note: (text: string) => void) => Promise<StartedAgent>,
): AsyncGenerator<AgentEvent, ProgramTurn> {
  const notes: string[] = [];
  await using program = await start(resumed, (text) => void notes.push(text));
  for (const message of notes) yield newEvent({ type: "warning", message });
  const stop = () => void program[Symbol.asyncDispose]();
  if (job.signal.aborted) stop();
  job.signal.addEventListener("abort", stop, { once: true });
  const { mode: executed, show } = openMode(job);
  const reader = mode.open();
  const held: AgentEvent[] = [];
  let hasWorked = false;
  for await (const line of mode.printsOneDocument ? readDocument(program.output) : readRecords(program.output)) {
    const events = "notice" in line ? [line.notice] : reader.read(line.record);
    for (const event of events) {
      const shown = show(event, "record" in line ? line.record : undefined);
      hasWorked ||= event.type !== "warning" && event.type !== "error";
      if (resumed.length > 0 && !hasWorked && event.type === "error") held.push(shown);
      else yield shown;
    }
  }
  const result = reader.end();
  const how = result === undefined ? await describeProgramEnd(program) : "";
  return { end: result && { ...result, mode: executed }, how, hasWorked, held };
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

/** What an agent prints: records, and anything else. */
type Printed = { readonly record: AgentRecord } | { readonly notice: AgentEvent };

const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** The JSON document that an agent prints. Lines before it become notices. */
async function* readDocument(output: AsyncIterable<Uint8Array>): AsyncGenerator<Printed> {
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
async function* readRecords(output: AsyncIterable<Uint8Array>): AsyncGenerator<Printed> {
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
