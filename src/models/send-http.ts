import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { errorCode } from "../lib/error-code.ts";
import { unpackBody } from "../lib/unpack-body.ts";
import { ModelError } from "./model-error.ts";
import { SmallHeaders } from "./small-headers.ts";
import type { AnswerHead } from "./small-response.ts";

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
