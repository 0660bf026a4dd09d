import { ModelError } from "./model-error.ts";

export interface WireSettings {
  /** How long a server may send nothing, before the first byte and between two. */
  readonly idleMs: number;
  /** The most bytes of one answer. */
  readonly mostBytes: number;
  /** How requests leave; undefined: over the network. */
  readonly send?: typeof fetch;
}

/**
 * A fetch for requests to models. It follows no redirect (keys in headers would go along), refuses web pages, and ends
 * an answer that stalls or never ends.
 */
export function wireFetch({ idleMs, mostBytes, send = fetch }: WireSettings): typeof fetch {
  return async (input, init) => {
    const idle = idleWatch(idleMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, idle.signal]) : idle.signal;
    try {
      const response = await send(input, { ...init, signal, redirect: "manual" });
      idle.touch();
      await refuseStrange(response);
      if (response.body === null) return finished(response, idle);
      const body = response.body.pipeThrough(watched(idle, mostBytes));
      return new Response(body, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
    } catch (error) {
      idle.stop();
      throw idle.signal.aborted ? idle.signal.reason : error;
    }
  };
}

interface IdleWatch {
  readonly signal: AbortSignal;
  touch(): void;
  stop(): void;
}

function idleWatch(idleMs: number): IdleWatch {
  const controller = new AbortController();
  const seconds = idleMs / 1000;
  const expire = () =>
    controller.abort(new ModelError(`the server sent nothing for ${seconds} seconds`, { kind: "transient" }));
  // Unreferenced: the socket keeps the process, and an answer that nobody waits for any more must not.
  let timer = setTimeout(expire, idleMs).unref();
  return {
    signal: controller.signal,
    touch() {
      clearTimeout(timer);
      timer = setTimeout(expire, idleMs).unref();
    },
    stop: () => clearTimeout(timer),
  };
}

async function refuseStrange({ status, ok, headers, body }: Response): Promise<void> {
  const redirected = status >= 300 && status < 400;
  const isPage = ok && /\bhtml\b/i.test(headers.get("content-type") ?? "");
  if (!redirected && !isPage) return;
  await body?.cancel();
  const advice = redirected
    ? "redirects are not followed; use the address it leads to"
    : "a web page instead of an answer; is the address the one of the API?";
  throw new ModelError(`HTTP ${status}: ${advice}`, { kind: "refused", status });
}

function finished(response: Response, idle: IdleWatch): Response {
  idle.stop();
  return response;
}

function watched(idle: IdleWatch, mostBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      idle.touch();
      size += chunk.byteLength;
      if (size > mostBytes)
        controller.error(new ModelError(`the answer is larger than ${mostBytes} bytes`, { kind: "refused" }));
      else controller.enqueue(chunk);
    },
    flush: () => idle.stop(),
    cancel: () => idle.stop(),
  });
}
