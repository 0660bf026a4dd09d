import { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { textOf } from "../../agents/pack/records.ts";
import { ProtocolError } from "../../receipts/host.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { describeEnd } from "../program/program.ts";

/** The part of the SDK that we use. It is loaded if installed and never bundled. */
export interface SdkClient {
  start(): Promise<void>;
  stop(): Promise<unknown>;
  /** Missing in older SDKs. */
  forceStop?(): Promise<unknown>;
  ping?(): Promise<unknown>;
  createSession(config: object): Promise<SdkSession>;
  resumeSession?(sessionId: string, config: object): Promise<SdkSession>;
}

export const isSdkClient = (client: object): client is SdkClient =>
  "start" in client && typeof client.start === "function";

export interface SdkSession {
  on(handler: (event: unknown) => void): () => void;
  send(options: { prompt: string }): Promise<unknown>;
  abort(): Promise<void>;
  disconnect(): Promise<void>;
  readonly sessionId?: string;
}

/** Rejects when the program behind a client has exited; never resolves. */
export interface ProgramWatch extends Disposable {
  readonly gone: Promise<never>;
}

const PING_MS = 250;
const FIRST_PING_MS = 5000;

/**
 * Watches the program behind a client. When it dies, the SDK keeps waiting: a pending request never settles, and only
 * the next one fails. A program that does not answer the first ping is not watched.
 */
export async function watchProgram(client: SdkClient): Promise<ProgramWatch> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  // Whoever races against this promise handles the rejection.
  gone.catch(() => undefined);
  const lost = async (error: unknown) => {
    const how = (await endOfProgram(client)) ?? messageOf(error);
    reject(new ProtocolError(`Copilot exited during the task: ${how}`));
  };
  const ping = async () => {
    if (client.ping === undefined) throw new Error("this SDK has no ping");
    await client.ping();
    return true;
  };
  const answers = await within(FIRST_PING_MS, ping()).catch(() => false);
  const timer = answers === true ? setInterval(() => void ping().catch(lost), PING_MS) : undefined;
  return { gone, [Symbol.dispose]: () => clearInterval(timer) };
}

const EXIT_MS = 1000;

/** How the program behind a client ended. Undefined for an SDK that does not keep its process where we know. */
async function endOfProgram(client: SdkClient): Promise<string | undefined> {
  const child = "cliProcess" in client ? client.cliProcess : undefined;
  if (!(child instanceof ChildProcess)) return undefined;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  // The connection may close shortly before the program exits.
  for (let waited = 0; isRunning() && waited < EXIT_MS; waited += 20) await sleep(20);
  return isRunning()
    ? undefined
    : describeEnd({ code: child.exitCode, signal: child.signalCode }, textOf(client, "stderrBuffer"));
}

const GRACE_MS = 2000;

/** Stops the program behind a client, then kills it if needed. Settles soon, whatever state the client is in. */
export async function endClient(client: SdkClient): Promise<void> {
  const stopped = await within(
    GRACE_MS,
    client.stop().then(() => true),
  ).catch(() => false);
  if (stopped !== true) await within(GRACE_MS, client.forceStop?.() ?? Promise.resolve()).catch(() => undefined);
}

/** The result of a promise, or undefined if it takes too long. */
async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  const over = new AbortController();
  try {
    return await Promise.race([work, sleep(ms, undefined, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
