import { type AgentEvent, ErrorCode, newEvent } from "../../contract/agent-event.ts";
import type { LooseHostEnvelope, RuntimeEnvelope } from "../../contract/envelope.ts";
import { CONTRACT_VERSION, type HostEnd, NO_USAGE } from "../../contract/receipt.ts";
import { decodeLines } from "../../lib/text/decode-lines.ts";
import { type Host, type HostJob, type OpenHost, ProtocolError } from "../../receipts/host.ts";
import {
  describeProgramEnd,
  type HostCommand,
  hostEnvironment,
  refuseUncontained,
  RUNS_ITSELF,
  startHostCommand,
} from "../program/program.ts";
import { judgeReceipt, majorVersion, readCapabilities, readEnd, readEvent, readHostEnvelope } from "./read-host.ts";

/** A host that is a separate program and speaks the protocol on its standard streams. */
export function sidecarHost(
  command: HostCommand,
  env: NodeJS.ProcessEnv,
  times: SidecarTimes = SIDECAR_TIMES,
): OpenHost {
  return async (place) => {
    refuseUncontained("a sidecar", RUNS_ITSELF, place.policy);
    const program = await startHostCommand(command, place, hostEnvironment(env, place));
    const peer = {
      output: program.output,
      send: program.write,
      ending: () => describeProgramEnd(program),
      [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
    };
    try {
      return await openSidecar(peer, command.path, times);
    } catch (error) {
      await program[Symbol.asyncDispose]();
      throw error;
    }
  };
}

/** A running host program: its output, and a way to send it input. */
interface Peer extends AsyncDisposable {
  readonly output: AsyncIterable<Uint8Array>;
  readonly send: (line: string) => void;
  /** Waits for the program to end and describes how it ended. */
  readonly ending: () => Promise<string>;
}

export interface SidecarTimes {
  readonly helloMs: number;
  readonly pingMs: number;
}

const SIDECAR_TIMES: SidecarTimes = { helloMs: 10_000, pingMs: 15_000 };

type Hello = Extract<LooseHostEnvelope, { t: "hello" }>;

/** Opens a host program. Its `hello` must come first, in time, and with our major version. */
async function openSidecar(peer: Peer, name: string, times: SidecarTimes = SIDECAR_TIMES): Promise<Host> {
  const lines = decodeLines(peer.output);
  const hello = await readHello(lines, peer, times.helloMs);
  const { known, unknown } = readCapabilities(hello.capabilities);
  let used = false;
  return {
    backend: hello.backend,
    capabilities: known,
    agent: { name, version: hello.backend.backend_version, binary_sha256: null },
    // The protocol has no permission request before a call.
    holds: false,
    async *run(job) {
      if (used) throw new Error("this host already has a run");
      used = true;
      if (unknown.length > 0)
        yield newEvent({
          type: "warning",
          message: `the host reports unknown capabilities: ${unknown.join(", ")}`,
        });
      return yield* converse(lines, peer, job, times.pingMs);
    },
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

async function readHello(
  lines: AsyncGenerator<Parameters<typeof readHostEnvelope>[0]>,
  peer: Peer,
  ms: number,
): Promise<Hello> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProtocolError(`the host did not say hello within ${ms} ms`)), ms);
  });
  try {
    const first = await Promise.race([lines.next(), late]);
    if (first.done === true) throw new ProtocolError(`the host exited before its hello: ${await peer.ending()}`);
    const hello = readHostEnvelope(first.value);
    if (hello?.t !== "hello")
      throw new ProtocolError(`the host began with '${hello?.t ?? "something unknown"}' instead of hello`);
    if (majorVersion(hello.contract_version) === majorVersion(CONTRACT_VERSION)) return hello;
    throw new ProtocolError(`the host speaks ${hello.contract_version}, we speak ${CONTRACT_VERSION}`);
  } finally {
    clearTimeout(timer);
  }
}

async function* converse(
  lines: AsyncGenerator<Parameters<typeof readHostEnvelope>[0]>,
  peer: Peer,
  job: HostJob,
  pingMs: number,
): AsyncGenerator<AgentEvent, HostEnd> {
  const { runId } = job;
  const send = (envelope: RuntimeEnvelope) => peer.send(`${JSON.stringify(envelope)}\n`);
  const cancel = () => send({ t: "cancel", ref_id: runId, reason: String(job.signal.reason?.message ?? "cancelled") });
  send({ t: "run", id: runId, work_order: job.order });
  using heartbeat = beat(send, pingMs, () => void peer[Symbol.asyncDispose]());
  if (job.signal.aborted) cancel();
  else job.signal.addEventListener("abort", cancel, { once: true });
  const seen = { events: 0, dropped: 0 };
  try {
    for await (const line of lines) {
      const envelope = readHostEnvelope(line);
      if (envelope?.t === "pong") heartbeat.pong();
      else if (envelope?.t === "event" && envelope.ref_id === runId) {
        seen.events++;
        yield readEvent(envelope.event);
      } else if (
        (envelope?.t === "final" && envelope.ref_id === runId) ||
        (envelope?.t === "fatal" && (envelope.ref_id ?? runId) === runId)
      ) {
        return yield* finish(envelope, seen, job);
      } else seen.dropped++;
    }
  } finally {
    job.signal.removeEventListener("abort", cancel);
  }
  throw new ProtocolError(
    `the host exited without a final message: ${heartbeat.silent() ? "it no longer answered pings; " : ""}${await peer.ending()}`,
  );
}

async function* finish(
  envelope: Extract<LooseHostEnvelope, { t: "final" | "fatal" }>,
  { events, dropped }: { readonly events: number; readonly dropped: number },
  job: HostJob,
): AsyncGenerator<AgentEvent, HostEnd> {
  if (dropped > 0)
    yield newEvent({
      type: "warning",
      message: `${dropped} ${dropped === 1 ? "line" : "lines"} of the host did not belong to this run`,
    });
  if (envelope.t === "final") {
    // A host that streamed no events may still report them in its receipt.
    if (events === 0) for (const event of envelope.receipt.trace ?? []) yield readEvent(event);
    yield* judgeReceipt(envelope.receipt, job);
    return readEnd(envelope.receipt);
  }
  const code = ErrorCode.safeParse(envelope.error_code);
  yield newEvent({ type: "error", message: envelope.error, error_code: code.success ? code.data : undefined });
  return { outcome: "failed", mode: "mapped", usage: NO_USAGE, usageRaw: null };
}

const MISSED = 3;

/**
 * Pings a host from time to time during a run, and only once if it does not answer. Never before `run`: some hosts take
 * their first line as the order. Silence counts only after it has answered once.
 */
function beat(send: (envelope: RuntimeEnvelope) => void, everyMs: number, onSilence: () => void) {
  let [sequence, open, answered, silent] = [0, 0, false, false];
  const ping = () => {
    if (answered && open >= MISSED && !silent) {
      silent = true;
      onSilence();
    }
    open++;
    send({ t: "ping", seq: ++sequence });
  };
  const timer = setInterval(() => (answered || sequence === 0 ? ping() : undefined), everyMs);
  return {
    pong: () => ([open, answered] = [0, true]),
    silent: () => silent,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
