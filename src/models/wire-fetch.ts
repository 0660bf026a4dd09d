import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { type AnswerHead, sendHttp, type Sending, type Sent, SmallHeaders, smallResponse } from "./send-http.ts";
import { ModelError } from "./model.ts";

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
