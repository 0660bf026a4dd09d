import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { type StartedServer, tellingLine } from "../../sandbox/run/start-server.ts";

/** The other end of a JSON-RPC connection with a language server. */
export interface ServerLink {
  /** The result, unchecked. Throws a `ServerError` for an error that the server answers with. */
  request(method: string, params: object, limit: RequestLimit): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Resolves with the reason as soon as the server cannot be used any more. */
  readonly closed: Promise<string>;
  end(): Promise<void>;
}

const Message = z.object({
  id: z.union([z.number(), z.string().max(1000)]).nullish(),
  method: z.string().max(1000).optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number().catch(0), message: z.string().catch("") })
    .optional()
    .catch(undefined),
});

/** More than a server sends while it loads a large project. */
const MAX_MESSAGES = 20_000;

const PER_MS = 10_000;

const MAX_UNREAD = 64 * 1024 * 1024;

/** Speaks with a started server. `onNotification` must not throw. */
export function openLink(server: StartedServer, onNotification: (method: string, params: unknown) => void): ServerLink {
  const { child } = server;
  const closing = Promise.withResolvers<string>();
  let isClosed = false;

  const close = async (why: string) => {
    if (!isClosed) {
      isClosed = true;
      closing.resolve(why);
      requests.failAll(why);
    }
    await server.end();
  };
  const send = (message: object) => {
    if (isClosed || child.stdin === null) return;
    child.stdin.write(encodeMessage({ jsonrpc: "2.0", ...message }));
    if (child.stdin.writableLength > MAX_UNREAD) void close("it does not read what it is sent");
  };
  const requests = openRequests(send);
  const take = (message: WireMessage) => {
    // It is not known whose answer it was.
    if ("tooLong" in message) return requests.failAll("the answer of the server is larger than 16 MiB");
    const { data } = Message.safeParse(message.value);
    if (data === undefined) throw new Error("it sent a message that is not JSON-RPC");
    const { id, method, params, result, error } = data;
    if (method === undefined)
      requests.settle(id, error === undefined ? (result ?? null) : new ServerError(error.code, error.message));
    else if (id === undefined || id === null) onNotification(method, params);
    else send({ id, ...answerServer(method, params) });
  };
  void readAll(server, take).then(close);
  return {
    async request(method, params, limit) {
      if (isClosed) throw new Error("the server has ended");
      return await requests.ask(method, params, limit);
    },
    notify: (method, params) => send({ method, params }),
    closed: closing.promise,
    end: () => close("the session has ended"),
  };
}

/** Passes on every message until the server ends. Returns why it ended. */
async function readAll({ child, lastWords }: StartedServer, take: (message: WireMessage) => void): Promise<string> {
  if (child.stdout === null) return "it has no output";
  let [messages, since] = [0, Date.now()];
  try {
    for await (const message of readMessages(child.stdout)) {
      if (Date.now() - since > PER_MS) [messages, since] = [0, Date.now()];
      if (++messages > MAX_MESSAGES) return `it sent more than ${MAX_MESSAGES} messages in ${PER_MS / 1000} s`;
      take(message);
    }
    const words = tellingLine(lastWords());
    return words === "" ? "it ended by itself" : `it ended by itself; it printed: ${words}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** What a request gets: a result, or an error of JSON-RPC. */
type Reply = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

const METHOD_NOT_FOUND = -32601;

const MAX_ITEMS = 1000;

/** Answers what a server asks of us. It gets no settings, changes no file, and asks nobody. */
function answerServer(method: string, params: unknown): Reply {
  switch (method) {
    case "workspace/configuration": {
      const items = isRecord(params) && Array.isArray(params["items"]) ? params["items"] : [];
      return { result: Array.from({ length: Math.min(items.length, MAX_ITEMS) }, () => null) };
    }
    case "workspace/applyEdit":
      return { result: { applied: false, failureReason: "signalbox does not let language servers change files" } };
    case "window/showDocument":
      return { result: { success: false } };
    case "workspace/workspaceFolders":
    case "window/showMessageRequest":
    case "window/workDoneProgress/create":
    case "client/registerCapability":
    case "client/unregisterCapability":
    case "workspace/diagnostic/refresh":
    case "workspace/semanticTokens/refresh":
    case "workspace/inlayHint/refresh":
    case "workspace/codeLens/refresh":
      return { result: null };
    default:
      return { error: { code: METHOD_NOT_FOUND, message: `signalbox does not offer ${shortLine(method, 60)}` } };
  }
}

export interface RequestLimit {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** An error that the server answered with. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(`the server answered: ${shortLine(message.slice(0, 2000), 300)}`);
    this.code = code;
  }
}

/** The requests that wait for an answer. Each ends with one, with its time, with an interruption, or with all others. */
function openRequests(send: (message: object) => void) {
  const waiting = new Map<number, (outcome: unknown) => void>();
  let lastId = 0;
  return {
    ask: (method: string, params: object, { signal, timeoutMs }: RequestLimit): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const stop = (why: string) => {
          send({ method: "$/cancelRequest", params: { id } });
          waiting.get(id)?.(new Error(why));
        };
        const timer = setTimeout(() => stop(`it did not answer within ${timeoutMs / 1000} s`), timeoutMs);
        const interrupt = () => stop("interrupted");
        waiting.set(id, (outcome) => {
          waiting.delete(id);
          clearTimeout(timer);
          signal.removeEventListener("abort", interrupt);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        });
        send({ id, method, params });
        signal.addEventListener("abort", interrupt, { once: true });
        if (signal.aborted) interrupt();
      }),
    /** An answer to a request that nobody waits for any more is dropped. */
    settle(id: unknown, outcome: unknown) {
      if (typeof id === "number") waiting.get(id)?.(outcome);
    },
    failAll(why: string) {
      for (const settle of waiting.values()) settle(new Error(why));
    },
  };
}

const MAX_MESSAGE = 16 * 1024 * 1024;

/** Longer than anything a server sends by mistake; more is not worth skipping. */
const MAX_SKIPPED = 512 * 1024 * 1024;

const MAX_HEADER = 4096;

const HEADER_END = Buffer.from("\r\n\r\n");

/** A message as it came, or the size of one that was too long and was skipped. */
export type WireMessage = { readonly value: unknown } | { readonly tooLong: number };

/**
 * The messages in a byte stream, each behind a header with its length. Throws where it is something else, since
 * nothing tells where the next message would begin.
 */
export async function* readMessages(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<WireMessage> {
  let header = Buffer.alloc(0);
  let body: Body | undefined;
  for await (const chunk of bytes) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (rest.length > 0) {
      if (body === undefined) {
        const all = Buffer.concat([header, rest]);
        const end = all.indexOf(HEADER_END);
        if (end > MAX_HEADER || (end === -1 && all.length > MAX_HEADER)) throw new Error("its messages have no header");
        header = end === -1 ? all : Buffer.alloc(0);
        rest = end === -1 ? Buffer.alloc(0) : all.subarray(end + HEADER_END.length);
        body = end === -1 ? undefined : openBody(all.toString("latin1", 0, end));
      }
      if (body === undefined) continue;
      const part = rest.subarray(0, body.missing);
      rest = rest.subarray(part.length);
      body.missing -= part.length;
      if (body.size <= MAX_MESSAGE) body.parts.push(part);
      if (body.missing > 0) continue;
      yield finished(body);
      body = undefined;
    }
  }
}

interface Body {
  readonly size: number;
  missing: number;
  readonly parts: Buffer[];
}

function openBody(header: string): Body {
  const length = /^content-length:[ \t]*(\d{1,10})[ \t]*$/im.exec(header)?.[1];
  if (length === undefined) throw new Error("its messages have no header");
  const size = Number(length);
  if (size > MAX_SKIPPED || size === 0) throw new Error(`it sent a message of ${size} bytes`);
  return { size, missing: size, parts: [] };
}

function finished({ size, parts }: Body): WireMessage {
  if (size > MAX_MESSAGE) return { tooLong: size };
  try {
    return { value: parseJson(Buffer.concat(parts).toString("utf8")) };
  } catch (error) {
    throw new Error("it sent a message that is not JSON", { cause: error });
  }
}

/** A message with its header. */
export function encodeMessage(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, "latin1"), body]);
}

/** Whether a server says that it is still working, such as loading a project. */
export interface Busy {
  readonly isBusy: boolean;
  /** How often it has come to rest. */
  readonly rests: number;
  /** Takes the parameters of a progress notification. */
  take(params: unknown): void;
  /** Waits until it is not busy, for a bounded time. */
  rest(limit: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<void>;
  /** Waits a moment for it to say that it is loading. Without that its first answers can be incomplete. */
  begin(signal: AbortSignal): Promise<void>;
}

const MAX_TASKS = 1000;

const STEP_MS = 50;

const BEGIN_MS = 300;

export function busyServer(): Busy {
  const tasks = new Set<string>();
  let rests = 0;
  const wait = async (goesOn: () => boolean, ms: number, signal: AbortSignal) => {
    const end = Date.now() + ms;
    while (goesOn() && Date.now() < end && !signal.aborted)
      await sleep(STEP_MS, undefined, { signal }).catch(() => undefined);
  };
  return {
    get isBusy() {
      return tasks.size > 0;
    },
    get rests() {
      return rests;
    },
    take(params) {
      const { token, value } = isRecord(params) ? params : {};
      const kind = isRecord(value) ? value["kind"] : undefined;
      const task = String(token).slice(0, 200);
      if (kind === "begin" && tasks.size < MAX_TASKS) tasks.add(task);
      else if (kind === "end" && tasks.delete(task) && tasks.size === 0) rests++;
    },
    rest: ({ signal, timeoutMs }) => wait(() => tasks.size > 0, timeoutMs, signal),
    begin: (signal) => wait(() => tasks.size === 0 && rests === 0, BEGIN_MS, signal),
  };
}
