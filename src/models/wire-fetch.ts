import { sendHttp, type Sending, type Sent } from "./http/send-http.ts";
import { SmallHeaders } from "./http/small-headers.ts";
import { type AnswerHead, smallResponse } from "./http/small-response.ts";
import { ModelError } from "./model-error.ts";

export interface WireSettings {
  /** How long a server may send nothing, before the first byte and between two. */
  readonly idleMs: number;
  /** The most bytes of one answer. */
  readonly mostBytes: number;
  /** How requests leave; undefined: over the network. */
  readonly send?: (url: string, sending: Sending) => Promise<Sent>;
}

/**
 * A fetch for requests to models. It follows no redirect (keys in headers would go along), refuses web pages, and ends
 * an answer that stalls or never ends.
 */
export function wireFetch({ idleMs, mostBytes, send = sendHttp }: WireSettings): typeof fetch {
  return async (input, { method = "GET", headers, body, signal: asked } = {}) => {
    const idle = idleWatch(idleMs);
    const signal = asked ? AbortSignal.any([asked, idle.signal]) : idle.signal;
    try {
      const sending = { method, headers: new SmallHeaders(headers), body: textOf(body), signal };
      const answer = await send(typeof input === "string" || input instanceof URL ? String(input) : input.url, sending);
      idle.touch();
      refuseStrange(answer);
      return smallResponse(answer, watched(answer.body ?? nothing(), idle, mostBytes));
    } catch (error) {
      const failure = idle.signal.aborted ? idle.signal.reason : error;
      idle.end();
      throw failure;
    }
  };
}

/** The packages send JSON and nothing else. */
function textOf(body: unknown): string | null {
  if (body === undefined || body === null || typeof body === "string") return body ?? null;
  throw new TypeError("a request to a model is a text");
}

interface IdleWatch {
  readonly signal: AbortSignal;
  touch(): void;
  /** The answer is whole. */
  stop(): void;
  /** The rest of the answer is not wanted: its connection is closed. */
  end(): void;
}

function idleWatch(idleMs: number): IdleWatch {
  const controller = new AbortController();
  const seconds = idleMs / 1000;
  const expire = () =>
    controller.abort(new ModelError(`the server sent nothing for ${seconds} seconds`, { kind: "transient" }));
  // Unreferenced: the socket keeps the process, and an answer that nobody waits for any more must not.
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
    ? "redirects are not followed; use the address it leads to"
    : "a web page instead of an answer; is the address the one of the API?";
  throw new ModelError(`HTTP ${status}: ${advice}`, { kind: "refused", status });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

type Body = NonNullable<Sent["body"]>;

async function* watched(body: Body, idle: IdleWatch, mostBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      idle.touch();
      size += chunk.byteLength;
      if (size > mostBytes) throw new ModelError(`the answer is larger than ${mostBytes} bytes`, { kind: "refused" });
      yield chunk;
    }
  } catch (error) {
    throw idle.signal.aborted ? idle.signal.reason : error;
  } finally {
    idle.stop();
  }
}
