import { randomUUID } from "node:crypto";
import { LooseHostEnvelope } from "../../contract/envelope.ts";
import { CONTRACT_VERSION } from "../../contract/receipt.ts";
import { decodeLines } from "../../lib/decode-lines.ts";
import { majorVersion } from "../sidecar/read-host.ts";
import { commandEnvironment } from "../../launch/child-environment.ts";
import { isRecord } from "../../lib/is-record.ts";
import { asyncQueue } from "../../lib/async-queue.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { describeProgramEnd, type HostCommand, startHostCommand } from "../program/program.ts";

/** A host under test: its output, and ways to send it input. */
export interface Subject extends AsyncDisposable {
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
export async function openSubject(command: HostCommand, env: NodeJS.ProcessEnv, cwd: string): Promise<Subject> {
  const runId = randomUUID();
  const program = await startHostCommand(command, {
    workspaceRoots: [cwd],
    env: commandEnvironment(env, runId),
    runId,
  });
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

const RUBBISH = "not an envelope: ";

function readEnvelope(text: string): LooseHostEnvelope {
  try {
    const parsed = LooseHostEnvelope.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
  } catch {
    // Reported below.
  }
  return { t: "fatal", ref_id: "", error: `${RUBBISH}${text.slice(0, 200)}` };
}

/** Lines that a host printed outside the protocol. */
export const rubbishIn = (received: readonly LooseHostEnvelope[]) =>
  received.flatMap((envelope) =>
    envelope.t === "fatal" && envelope.error.startsWith(RUBBISH) ? [envelope.error] : [],
  );

function sleepUntil(ms: number): { readonly passed: Promise<undefined> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  setTimeout(() => resolve(undefined), ms).unref();
  return { passed: promise };
}

/** Whether this is a `hello` with our major version. */
export const isHello = (envelope: LooseHostEnvelope | undefined) =>
  envelope?.t === "hello" &&
  majorVersion(envelope.contract_version) === majorVersion(CONTRACT_VERSION) &&
  isRecord(envelope.capabilities);
