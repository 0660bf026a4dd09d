import { once } from "node:events";
import { appendFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, UserError } from "../../lib/text/user-error.ts";
import type { Played, player } from "./play.ts";
import type { Failure } from "./script.ts";
import {
  type IncomingRequest,
  type ScriptedWireName,
  userTexts,
  type Wire,
  type WireAnswer,
  type WireEvent,
  type WireRequest,
} from "./wire.ts";

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

/** One request as the server saw it, and its answer. */
export interface CapturedRequest {
  readonly at: string;
  readonly wire: ScriptedWireName;
  /** The path with its query. */
  readonly path: string;
  readonly model: string;
  readonly stream: boolean;
  /** Every user text, in order, exactly as sent. */
  readonly userTexts: readonly string[];
  readonly system: string;
  readonly toolNames: readonly string[];
  /** How many model answers the history contained. */
  readonly turn: number;
  /** The index of the scene in the script; null when none matched. */
  readonly scene: number | null;
  readonly answered: Played["answered"];
  readonly body: unknown;
}

/** A request that was rejected, with every expectation it did not meet. */
export interface FailedExpectation {
  readonly at: string;
  readonly path: string;
  readonly scene: number | null;
  readonly turn: number;
  readonly problems: readonly string[];
}

function captured(
  raw: WireRequest & { readonly wire: ScriptedWireName },
  request: IncomingRequest,
  played: Played,
): CapturedRequest {
  return {
    at: new Date().toISOString(),
    wire: raw.wire,
    path: raw.url.pathname + raw.url.search,
    model: request.model,
    stream: request.stream,
    userTexts: userTexts(request.entries),
    system: request.system,
    toolNames: request.tools.map((tool) => tool.name),
    turn: played.turn,
    scene: played.scene,
    answered: played.answered,
    body: raw.body,
  };
}

/**
 * Appends each request to `file` as a line of JSON, before it is answered. Fails immediately when it cannot be written.
 */
export function captureFile(file: string): (request: CapturedRequest) => void {
  try {
    appendFileSync(file, "", { mode: 0o600 });
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UserError(`cannot write captured requests: ${reason}`, {
      where: file,
      fix: "pass --capture a file in an existing folder you can write to",
      cause,
    });
  }
  return (request) => appendFileSync(file, `${JSON.stringify(request)}\n`);
}

/** Aborts when the client has disconnected or received everything. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Sends a failure defined by a script: a string body as text, any other as JSON. */
function sendFailure(response: ServerResponse, failure: StatusFailure): void {
  const { status, body, headers } = failure;
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

interface StatusFailure {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

/**
 * Streams the events, each in one write, `between` milliseconds apart. Throws an AbortError when the client
 * disconnects.
 */
async function sendEvents(
  response: ServerResponse,
  events: readonly WireEvent[],
  { between, signal }: { between: number; signal: AbortSignal },
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  for (const [index, event] of events.entries()) {
    if (between > 0 && index > 0) await sleep(between, undefined, { signal });
    signal.throwIfAborted();
    await flushed(response, encoded(event));
  }
}

/** Sends half of a body whose full length was announced. */
async function sendHalf(response: ServerResponse, body: unknown): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  await flushed(response, bytes.subarray(0, bytes.length / 2));
}

/** Settles when the operating system has the chunk, so that nothing done to the socket next can overtake it. */
function flushed(response: ServerResponse, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

function encoded({ event, data }: WireEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
