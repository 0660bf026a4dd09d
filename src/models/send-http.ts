import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
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
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
}

/**
 * A Response for the provider packages that avoids Node's own, which loads its whole fetch. Its body can be read once.
 */
export function smallResponse({ status, statusText, headers }: AnswerHead, body: AsyncIterable<Uint8Array>): Response {
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
