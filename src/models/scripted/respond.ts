import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type CapturedRequest, captured, type FailedExpectation } from "./capture.ts";
import type { player } from "./play.ts";
import type { Failure } from "./script/script.ts";
import { sendEvents, sendFailure, sendHalf, sendJson } from "./send.ts";
import type { Wire, WireRequest, WireAnswer } from "./wires/wire.ts";

/** What the requests of one server have in common. */
export interface ServerState {
  readonly play: ReturnType<typeof player>;
  readonly requests: readonly CapturedRequest[];
  readonly failedExpectations: FailedExpectation[];
  /** Stores a request; it is answered afterwards. */
  keep(request: CapturedRequest): void | Promise<void>;
}

interface Place extends WireRequest {
  readonly state: ServerState;
  readonly wire: Wire;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Plays one request of a wire. Throws a BadRequest for one that is not valid on it, an AbortError when the client
 * disconnects.
 */
export async function respond({ state, wire, url, body, signal }: Place, response: ServerResponse): Promise<void> {
  const request = wire.read({ url, body });
  const played = state.play(request);
  const record = captured({ wire: wire.name, url, body }, request, played);
  await state.keep(record);

  if (played.answered === "expect-failed") {
    const { at, path, scene, turn } = record;
    state.failedExpectations.push({ at, path, scene, turn, problems: played.problems });
    const message = `scene ${scene ?? "none"}, turn ${turn}: ${played.problems.join("; ")}`;
    return sendJson(response, 400, wire.error(400, `expectation failed: ${message}`));
  }
  const wireAnswer = wire.write(played.answer, request);
  const { before, between } = played.pace;
  if (before > 0) await sleep(before, undefined, { signal });
  signal.throwIfAborted();

  const way = { wireAnswer, stream: request.stream, between, signal };
  if (played.answered === "failure") return fail(played.failure, { ...way, wire }, response);
  if (!request.stream) return sendJson(response, 200, wireAnswer.body);
  await sendEvents(response, wireAnswer.events, way);
  response.end();
}

interface Way {
  readonly wire: Wire;
  readonly wireAnswer: WireAnswer;
  readonly stream: boolean;
  readonly between: number;
  readonly signal: AbortSignal;
}

async function fail(failure: Failure, way: Way, response: ServerResponse): Promise<void> {
  const { wire, wireAnswer, stream, signal } = way;
  if ("status" in failure) {
    const body = failure.body ?? wire.error(failure.status, `scripted failure ${failure.status}`);
    return sendFailure(response, { ...failure, body });
  }
  if ("hang" in failure) {
    await once(signal, "abort");
    return;
  }
  if (stream) await sendEvents(response, wireAnswer.events.slice(0, failure.cut), way);
  else await sendHalf(response, wireAnswer.body);
  response.destroy();
}
