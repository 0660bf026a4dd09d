import { randomUUID } from "node:crypto";
import { AgentEvent } from "../../contract/agent-event.ts";
import { LooseHostEnvelope } from "../../contract/envelope.ts";
import { CONTRACT_VERSION, Receipt } from "../../contract/receipt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { commandEnvironment } from "../../launch/child-environment.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { asyncQueue } from "../../lib/process/tasks.ts";
import { decodeLines } from "../../lib/text/decode-lines.ts";
import { describeProgramEnd, type HostCommand, startHostCommand } from "../program/program.ts";
import { majorVersion } from "./read-host.ts";

/** One rule of the protocol. `check` returns undefined if the host follows it, or what the host did instead. */
interface Promised {
  readonly name: string;
  readonly check: (subject: Subject, order: WorkOrder) => Promise<string | undefined>;
}

export interface PromiseCheck {
  readonly name: string;
  /** What the host did instead; undefined if it followed the rule. */
  readonly wrong: string | undefined;
}

const hello = (envelope: LooseHostEnvelope) => envelope.t === "hello";

const terminal = (id: string) => (envelope: LooseHostEnvelope) =>
  (envelope.t === "final" || envelope.t === "fatal") && (envelope.ref_id ?? id) === id;

async function runOnce(subject: Subject, order: WorkOrder, id: string): Promise<LooseHostEnvelope | undefined> {
  await subject.await(hello);
  subject.send({ t: "run", id, work_order: order });
  return await subject.await(terminal(id));
}

const RUBBISH = "not an envelope: ";

/** Lines that a host printed outside the protocol. */
const rubbishIn = (received: readonly LooseHostEnvelope[]) =>
  received.flatMap((envelope) =>
    envelope.t === "fatal" && envelope.error.startsWith(RUBBISH) ? [envelope.error] : [],
  );

/** Whether this is a `hello` with our major version. */
const isHello = (envelope: LooseHostEnvelope | undefined) =>
  envelope?.t === "hello" &&
  majorVersion(envelope.contract_version) === majorVersion(CONTRACT_VERSION) &&
  isRecord(envelope.capabilities);

/** The rules every host must follow. Used by our tests and by `signalbox sidecar check`. */
export const PROMISES: readonly Promised[] = [
  {
    name: "sends hello first, in our major version",
    async check(subject) {
      const first = await subject.await(() => true);
      return isHello(first) ? undefined : `it began with ${JSON.stringify(first ?? "nothing").slice(0, 200)}`;
    },
  },
  {
    name: "ends a run with exactly one final message",
    async check(subject, order) {
      const id = randomUUID();
      const end = await runOnce(subject, order, id);
      if (end === undefined) return "it sent none";
      subject.endInput();
      const second = await subject.await(terminal(id), 5000);
      return second === undefined ? undefined : "it sent two";
    },
  },
  {
    name: "sends only known events, for the run it was given",
    async check(subject, order) {
      const id = randomUUID();
      await runOnce(subject, order, id);
      const events = subject.received.flatMap((envelope) => (envelope.t === "event" ? [envelope] : []));
      const foreign = events.find(({ ref_id }) => ref_id !== id);
      if (foreign !== undefined) return `it sent an event for ${foreign.ref_id}`;
      const odd = events.find(({ event }) => !AgentEvent.safeParse(event).success);
      return odd === undefined ? undefined : `it sent the event ${JSON.stringify(odd.event).slice(0, 200)}`;
    },
  },
  {
    name: "opens a trace with run_started and closes it with run_completed",
    async check(subject, order) {
      const end = await runOnce(subject, order, randomUUID());
      if (end?.t !== "final") return undefined;
      const kinds = subject.received.flatMap((envelope) => (envelope.t === "event" ? [envelope.event["type"]] : []));
      return kinds[0] === "run_started" && kinds.at(-1) === "run_completed"
        ? undefined
        : `the trace was ${kinds.join(", ").slice(0, 200)}`;
    },
  },
  {
    name: "returns a complete receipt",
    async check(subject, order) {
      const end = await runOnce(subject, order, randomUUID());
      if (end?.t !== "final") return undefined;
      const parsed = Receipt.safeParse(end.receipt);
      return parsed.success ? undefined : (parsed.error.issues[0]?.path.join(".") ?? "it cannot be read");
    },
  },
  {
    name: "answers an invalid line with a fatal, and continues",
    async check(subject, order) {
      await subject.await(hello);
      subject.sendText("{ this is no JSON");
      const fatal = await subject.await((envelope) => envelope.t === "fatal", 5000);
      if (fatal?.t !== "fatal" || fatal.ref_id !== null) return "it sent no fatal with a null ref_id";
      const id = randomUUID();
      subject.send({ t: "run", id, work_order: order });
      return (await subject.await(terminal(id))) === undefined ? "it did not accept another run" : undefined;
    },
  },
  {
    name: "runs a second work order",
    async check(subject, order) {
      await runOnce(subject, order, randomUUID());
      const id = randomUUID();
      subject.send({ t: "run", id, work_order: order });
      return (await subject.await(terminal(id))) === undefined ? "it did not" : undefined;
    },
  },
  {
    name: "answers pings",
    async check(subject) {
      await subject.await(hello);
      subject.send({ t: "ping", seq: 7 });
      const pong = await subject.await((envelope) => envelope.t === "pong", 5000);
      return pong?.t === "pong" && pong.seq === 7 ? undefined : "it did not";
    },
  },
  {
    name: "prints nothing else, and ends when its input ends",
    async check(subject, order) {
      await runOnce(subject, order, randomUUID());
      subject.endInput();
      await subject.await(() => false, 10_000);
      const rubbish = rubbishIn(subject.received);
      return rubbish.length === 0 ? undefined : rubbish[0];
    },
  },
];

/** Checks a host against every rule, each in a new process. */
export async function* checkHost(
  command: HostCommand,
  place: { readonly env: NodeJS.ProcessEnv; readonly order: WorkOrder },
): AsyncGenerator<PromiseCheck> {
  for (const { name, check } of PROMISES) {
    await using subject = await openSubject(command, place.env, place.order.workspace.root);
    yield { name, wrong: await check(subject, place.order) };
  }
}

/** A host under test: its output, and ways to send it input. */
interface Subject extends AsyncDisposable {
  readonly send: (value: unknown) => void;
  readonly sendText: (text: string) => void;
  readonly endInput: () => void;
  /**
   * Waits for the next matching envelope; all envelopes go to `received`. Undefined if the host ends or takes too long.
   */
  readonly await: (
    fits: (envelope: LooseHostEnvelope) => boolean,
    ms?: number,
  ) => Promise<LooseHostEnvelope | undefined>;
  readonly received: readonly LooseHostEnvelope[];
  readonly ending: () => Promise<string>;
}

const PATIENCE_MS = 20_000;

/** Starts a host for one check. A line that is not an envelope is recorded as a `fatal` that we make up. */
async function openSubject(command: HostCommand, env: NodeJS.ProcessEnv, cwd: string): Promise<Subject> {
  const runId = randomUUID();
  const program = await startHostCommand(command, { root: cwd, runId }, commandEnvironment(env, runId));
  const queue = asyncQueue<LooseHostEnvelope>();
  const received: LooseHostEnvelope[] = [];
  void (async () => {
    for await (const line of decodeLines(program.output))
      queue.push(readEnvelope("text" in line ? line.text : line.fault));
    queue.end();
  })().catch(() => queue.end());
  const reader = queue[Symbol.asyncIterator]();
  return {
    sendText: (text) => program.write(`${text}\n`),
    send: (value) => program.write(`${JSON.stringify(value)}\n`),
    endInput: program.endInput,
    received,
    async await(fits, ms = PATIENCE_MS) {
      const late = sleepUntil(ms);
      for (;;) {
        const next = await Promise.race([reader.next(), late.passed]);
        if (next === undefined || next.done === true) return undefined;
        received.push(next.value);
        if (fits(next.value)) return next.value;
      }
    },
    ending: () => describeProgramEnd(program),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

function readEnvelope(text: string): LooseHostEnvelope {
  try {
    const parsed = LooseHostEnvelope.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
  } catch {
    // Reported below.
  }
  return { t: "fatal", ref_id: "", error: `${RUBBISH}${text.slice(0, 200)}` };
}

function sleepUntil(ms: number): { readonly passed: Promise<undefined> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  setTimeout(() => resolve(undefined), ms).unref();
  return { passed: promise };
}
