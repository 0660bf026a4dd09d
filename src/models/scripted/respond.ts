import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type CapturedRequest, captured, type FailedExpectation } from "./capture.ts";
import type { player } from "./play.ts";
import type { Failure } from "./script/script.ts";
import { sendEvents, sendFailure, sendHalf, sendJson } from "./send.ts";
import type { Wire, WireRequest, Written } from "./wires/wire.ts";

/** What the requests of one server have in common. */
export interface Desk {
  readonly play: ReturnType<typeof player>;
  readonly requests: readonly CapturedRequest[];
  readonly failedExpectations: FailedExpectation[];
  /** Stores a request; it is answered afterwards. */
  keep(request: CapturedRequest): void | Promise<void>;
}

interface Place extends WireRequest {
  readonly desk: Desk;
  readonly wire: Wire;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Plays one request of a wire. Throws a BadRequest for one that is not valid on it, an AbortError when the client
 * disconnects.
 */
export async function respond({ desk, wire, url, body, signal }: Place, response: ServerResponse): Promise<void> {
  const asked = wire.read({ url, body });
  const played = desk.play(asked);
  const record = captured({ wire: wire.name, url, body }, asked, played);
  await desk.keep(record);

  if (played.answered === "expect-failed") {
    const { at, path, scene, turn } = record;
    desk.failedExpectations.push({ at, path, scene, turn, problems: played.problems });
    const message = `scene ${scene ?? "none"}, turn ${turn}: ${played.problems.join("; ")}`;
    return sendJson(response, 400, wire.error(400, `expectation failed: ${message}`));
  }
  const written = wire.write(played.answer, asked);
  const { before, between } = played.pace;
  if (before > 0) await sleep(before, undefined, { signal });
  signal.throwIfAborted();

  const way = { written, stream: asked.stream, between, signal };
  if (played.answered === "failure") return fail(played.failure, { ...way, wire }, response);
  if (!asked.stream) return sendJson(response, 200, written.body);
  await sendEvents(response, written.events, way);
  response.end();
}

interface Way {
  readonly wire: Wire;
  readonly written: Written;
  readonly stream: boolean;
  readonly between: number;
  readonly signal: AbortSignal;
}

async function fail(failure: Failure, way: Way, response: ServerResponse): Promise<void> {
  const { wire, written, stream, signal } = way;
  if ("status" in failure) {
    const body = failure.body ?? wire.error(failure.status, `scripted failure ${failure.status}`);
    return sendFailure(response, { ...failure, body });
  }
  if ("hang" in failure) {
    await once(signal, "abort");
    return;
  }
  if (stream) await sendEvents(response, written.events.slice(0, failure.cut), way);
  else await sendHalf(response, written.body);
  response.destroy();
}
