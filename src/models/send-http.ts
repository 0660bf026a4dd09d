import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { unpackBody } from "../lib/net/unpack-body.ts";
import { errorCode } from "../lib/text/user-error.ts";
import { ModelError } from "./model.ts";

export interface Sending {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
  readonly signal: AbortSignal;
}

export type Sent = AnswerHead & {
  /** Null: the response has none. */
  readonly body: AsyncIterable<Uint8Array> | null;
};

/**
 * Sends one request with Node's HTTP client and returns the response as soon as it begins. Redirects are not followed.
 */
export async function sendHttp(url: string, sending: Sending): Promise<Sent> {
  const answer = await begin(url, sending, true);
  const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value) => [name, value] as const),
  );
  return {
    status: answer.statusCode ?? 0,
    statusText: answer.statusMessage ?? "",
    headers: new SmallHeaders(pairs),
    body: await unpackBody(answer),
  };
}

async function begin(url: string, sending: Sending, again: boolean): Promise<IncomingMessage> {
  const { method, headers, body, signal } = sending;
  const request = url.startsWith("https:") ? (await import("node:https")).request : plainRequest;
  const bytes = Buffer.from(body ?? "");
  const length = body === null ? {} : { "content-length": String(bytes.length) };
  const options: RequestOptions = {
    method,
    signal,
    headers: { "accept-encoding": "identity", ...Object.fromEntries(headers), ...length },
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(url, options, resolve);
  // After a response's last byte Node stops listening to its socket; an abort at that moment would crash the program.
  outgoing.on("socket", (socket) => outgoing.reusedSocket || socket.on("error", () => undefined));
  outgoing.on("error", reject);
  // The only event when a server switches protocols (101), or closes silently.
  outgoing.on("close", () => reject(new Error("the connection was closed without an answer")));
  outgoing.end(bytes);
  try {
    return await promise;
  } catch (cause) {
    signal.throwIfAborted();
    // A connection kept from the last request may end at the very moment of the next.
    if (again && outgoing.reusedSocket && errorCode(cause) === "ECONNRESET") return await begin(url, sending, false);
    throw certificateProblem(cause) ?? new TypeError("fetch failed", { cause });
  }
}

const CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET_ISSUER))/;

/** Retrying would not help, and Node's advice cannot be followed here. */
function certificateProblem(cause: unknown): ModelError | undefined {
  if (!CERTIFICATE.test(errorCode(cause) ?? "") || !(cause instanceof Error)) return undefined;
  const what = cause.message.split(";")[0];
  return new ModelError(
    `the server's certificate is not trusted (${what}); if it is your own, set NODE_EXTRA_CA_CERTS to its file`,
    { kind: "refused", cause },
  );
}

type Given = NonNullable<RequestInit["headers"]> | Iterable<readonly [string, string]>;

const isIterable = (given: Given): given is Iterable<readonly [string, string]> => Symbol.iterator in given;

/**
 * The Headers of a request to a model or of its response. The first use of Node's own Headers loads its whole fetch,
 * which takes 25 ms; the release substitutes this class wherever a provider package uses them.
 */
export class SmallHeaders implements Headers {
  readonly #values = new Map<string, string>();

  constructor(given: Given = {}) {
    const pairs: Iterable<readonly [string, string | undefined]> = isIterable(given) ? given : Object.entries(given);
    for (const [name, value] of pairs) if (value !== undefined) this.append(name, value);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value.trim()}`);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), String(value).trim());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  getSetCookie(): string[] {
    const value = this.get("set-cookie");
    return value === null ? [] : [value];
  }

  forEach(each: (value: string, name: string, headers: Headers) => void): void {
    for (const [name, value] of this) each(value, name, this);
  }

  keys() {
    return this.#sorted()
      .map(([name]) => name)
      .values();
  }

  values() {
    return this.#sorted()
      .map(([, value]) => value)
      .values();
  }

  entries() {
    return this.#sorted().values();
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  #sorted(): [string, string][] {
    return [...this.#values].toSorted(([one], [other]) => (one < other ? -1 : 1));
  }
}

/** What is known about a response before its body is read. */
interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
}

/**
 * A Response for the provider packages that avoids Node's own, which loads its whole fetch. Its body can be read once.
 */
function smallResponse({ status, statusText, headers }: AnswerHead, body: AsyncIterable<Uint8Array>): Response {
  const stream = ReadableStream.from(body);
  const bytes = async () => new Uint8Array(Buffer.concat(await Array.fromAsync(stream)));
  const text = async () => new TextDecoder().decode(await bytes());
  return {
    status,
    statusText,
    headers,
    ok: status >= 200 && status < 300,
    type: "basic",
    url: "",
    redirected: false,
    body: stream,
    get bodyUsed() {
      return stream.locked;
    },
    bytes,
    text,
    json: async () => parseJson(await text()),
    arrayBuffer: async () => (await bytes()).buffer,
    blob: async () => new Blob([await bytes()]),
    formData: () => Promise.reject(new TypeError("a model's response is not form data")),
    clone: () => {
      throw new TypeError("a model's response can only be read once");
    },
  };
}

export interface WireSettings {
  /** How long a server may stay silent, before the first byte and between two. */
  readonly idleMs: number;
  /** Maximum bytes of one answer. */
  readonly mostBytes: number;
  /** How requests are sent; defaults to the network. */
  readonly send?: (url: string, sending: Sending) => Promise<Sent>;
}

/**
 * A fetch for requests to models. It follows no redirects (which would forward keys in headers), rejects web pages, and
 * aborts an answer that stalls or never ends.
 */
export function wireFetch({ idleMs, mostBytes, send = sendHttp }: WireSettings): typeof fetch {
  return async (input, { method = "GET", headers, body, signal: callerSignal } = {}) => {
    const idle = idleWatch(idleMs);
    const signal = callerSignal ? AbortSignal.any([callerSignal, idle.signal]) : idle.signal;
    try {
      const sending = { method, headers: new SmallHeaders(headers), body: textOf(body), signal };
      const answer = await send(typeof input === "string" || input instanceof URL ? String(input) : input.url, sending);
      idle.touch();
      refuseStrange(answer);
      const pieces = watched(answer.body ?? nothing(), idle, mostBytes);
      return smallResponse(answer, isWhole(answer) ? await unlessDocument(answer.status, pieces) : pieces);
    } catch (error) {
      const failure = idle.signal.aborted ? idle.signal.reason : error;
      idle.end();
      throw failure;
    }
  };
}

/** The packages only send JSON. */
function textOf(body: unknown): string | null {
  if (body === undefined || body === null || typeof body === "string") return body ?? null;
  throw new TypeError("the body of a model request must be text");
}

interface IdleWatch {
  readonly signal: AbortSignal;
  touch(): void;
  /** The answer is complete. */
  stop(): void;
  /** The rest of the answer is not wanted, so its connection is closed. */
  end(): void;
}

function idleWatch(idleMs: number): IdleWatch {
  const controller = new AbortController();
  const seconds = idleMs / 1000;
  const expire = () =>
    controller.abort(new ModelError(`the server sent nothing for ${seconds} seconds`, { kind: "transient" }));
  // Unreferenced: the socket keeps the process alive, and an answer that nobody awaits must not.
  const timer = setTimeout(expire, idleMs).unref();
  return {
    signal: controller.signal,
    touch: () => void timer.refresh(),
    stop: () => clearTimeout(timer),
    end() {
      clearTimeout(timer);
      controller.abort();
    },
  };
}

function refuseStrange({ status, headers }: AnswerHead): void {
  const redirected = status >= 300 && status < 400;
  const isPage = status >= 200 && status < 300 && /\bhtml\b/i.test(headers.get("content-type") ?? "");
  if (!redirected && !isPage) return;
  const advice = redirected
    ? "redirects are not followed; use the target address"
    : "got a web page instead of an answer; is this the address of the API?";
  throw new ModelError(`HTTP ${status}: ${advice}`, { kind: "refused", status });
}

const isWhole = ({ status, headers }: AnswerHead) =>
  status >= 200 && status < 300 && /\bjson\b/i.test(headers.get("content-type") ?? "");

const TRANSIENT = /overload|too many|rate.?limit|temporar|try again/i;

/** We only request streams. A document instead means an error, or a server that does not support streaming. */
async function unlessDocument(status: number, body: Body): Promise<Body> {
  const pieces = await Array.fromAsync(body);
  const message = errorIn(Buffer.concat(pieces).toString("utf8"));
  if (message === undefined) return Readable.from(pieces);
  throw new ModelError(`HTTP ${status}: ${message}`, {
    kind: TRANSIENT.test(message) ? "transient" : "refused",
    status,
  });
}

/** The error in a JSON document. Undefined when the text is not JSON, so it is a stream with a wrong content type. */
function errorIn(text: string): string | undefined {
  try {
    const document: unknown = parseJson(text);
    const error = isRecord(document) ? document["error"] : undefined;
    const message = isRecord(error) ? error["message"] : error;
    return typeof message === "string"
      ? message
      : "got a whole document instead of a stream; does the server support streaming?";
  } catch {
    return undefined;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** How long a server may keep a connection open after its final event. */
const LINGER_MS = 3000;

/** The pieces of an answer, until its end, or until the provider has sent its final event and stays silent. */
async function* watched(body: Body, idle: IdleWatch, mostBytes: number): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const isOver = endOfStreamWatch();
  let [size, over] = [0, false];
  try {
    while (true) {
      const next = over ? await Promise.race([pieces.next(), linger()]) : await pieces.next();
      if (next === undefined) return idle.end();
      if (next.done === true) return;
      idle.touch();
      size += next.value.byteLength;
      if (size > mostBytes) throw new ModelError(`the answer is larger than ${mostBytes} bytes`, { kind: "refused" });
      over ||= isOver(next.value);
      yield next.value;
    }
  } catch (error) {
    const failure = idle.signal.aborted ? idle.signal.reason : error;
    idle.end();
    throw failure;
  } finally {
    idle.stop();
  }
}

const linger = async (): Promise<undefined> => await sleep(LINGER_MS, undefined, { ref: false });

type Body = NonNullable<Sent["body"]>;

/** The final events of the providers' streams. Anchored at the start of a line, which a model's text cannot contain. */
const END_OF_STREAM = /\n(?:data: ?\[DONE\]|event: ?(?:message_stop|response\.(?:completed|incomplete|failed)))/;

/** As long as the longest of them. */
const KEPT = 32;

/** Watches the pieces of a stream for the provider's final event, which may be split across two of them. */
export function endOfStreamWatch(): (piece: Uint8Array) => boolean {
  let before = "\n";
  return (piece) => {
    const seen = before + Buffer.from(piece).toString("latin1");
    before = seen.slice(-KEPT);
    return END_OF_STREAM.test(seen);
  };
}
