import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { jsonDepth, parseJson } from "../../lib/json/parse-json.ts";
import { messageOf, UserError } from "../../lib/text/user-error.ts";
import { anthropic } from "./anthropic.ts";
import { chatCompletions } from "./chat-completions.ts";
import { generateContent } from "./generate-content.ts";
import { player } from "./play.ts";
import {
  type CapturedRequest,
  type FailedExpectation,
  goneSignal,
  respond,
  sendJson,
  type ServerState,
} from "./respond.ts";
import { responses } from "./responses.ts";
import { Script, type ScriptInput } from "./script.ts";
import { BadRequest, type Wire } from "./wire.ts";

export interface ScriptedModel extends AsyncDisposable {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Every request on a wire that could be parsed, oldest first. */
  readonly requests: readonly CapturedRequest[];
  readonly failedExpectations: readonly FailedExpectation[];
  /** Stops listening and ends every connection, including hanging ones. */
  readonly close: () => Promise<void>;
}

interface Settings {
  readonly script: ScriptInput;
  /** 0 or none: any free port. */
  readonly port?: number;
  /** Called before a request is answered; the answer waits for it. */
  readonly onRequest?: (request: CapturedRequest) => void | Promise<void>;
}

/** Serves a model that plays `script`, on loopback only. */
export async function startScriptedModel(settings: Settings): Promise<ScriptedModel> {
  const script = Script.parse(settings.script);
  const requests: CapturedRequest[] = [];
  const failedExpectations: FailedExpectation[] = [];
  const keep = (request: CapturedRequest) => {
    requests.push(request);
    return settings.onRequest?.(request);
  };
  const state: ServerState = { play: player(script), requests, failedExpectations, keep };

  const server = createServer((request, response) => void serve(state, request, response));
  // Agents keep connections open while a tool runs; closing one under a new request would look like our failure.
  server.keepAliveTimeout = 120_000;
  const port = await listen(server, settings.port ?? 0);
  const close = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url: `${ORIGIN}:${port}`, port, requests, failedExpectations, close, [Symbol.asyncDispose]: close };
}

const LOOPBACK = "127.0.0.1";

const ORIGIN = `http://${LOOPBACK}`;

const WIRES: readonly Wire[] = [anthropic, chatCompletions, responses, generateContent];

async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, LOOPBACK);
    await once(server, "listening");
  } catch (cause) {
    const reason = messageOf(cause);
    const fix = "choose another port, or omit it to get a free one";
    throw new UserError(`cannot listen: ${reason}`, { where: `${LOOPBACK}:${port}`, fix, cause });
  }
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

/** Answers one request. Errors do not propagate further. */
async function serve(state: ServerState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on("error", () => response.destroy());
  const signal = goneSignal(response);
  const url = URL.parse(request.url ?? "", ORIGIN) ?? new URL(ORIGIN);
  const posted = request.method === "POST";
  const wire = posted ? WIRES.find((candidate) => candidate.path.test(url.pathname)) : undefined;
  try {
    if (wire) await respond({ state, wire, url, body: await readBody(request), signal }, response);
    else if (posted && COUNT_TOKENS.test(url.pathname)) countTokens(await readBody(request), response);
    else look(state, request.method === "GET" ? url.pathname : "", response);
  } catch (error) {
    if (signal.aborted || response.headersSent) return void response.destroy();
    const status = error instanceof BadRequest ? error.status : 500;
    const message = messageOf(error);
    sendJson(response, status, (wire ?? chatCompletions).error(status, message));
  }
}

const COUNT_TOKENS = /\/v1\/messages\/count_tokens$/;

function countTokens(body: unknown, response: ServerResponse): void {
  sendJson(response, 200, { input_tokens: Math.ceil(JSON.stringify(body).length / 4) });
}

/** Inspection endpoints: captured requests, failed expectations, the list of models. */
function look(state: ServerState, path: string, response: ServerResponse): void {
  if (path === "/__requests") return sendJson(response, 200, state.requests);
  if (path === "/__failed") return sendJson(response, 200, state.failedExpectations);
  if (path.endsWith("/models")) return sendJson(response, 200, MODELS);
  sendJson(response, 404, chatCompletions.error(404, "the scripted model does not serve this path"));
}

/** One model, in OpenAI's and Anthropic's format (`data`) and in Gemini's (`models`). */
const MODELS = {
  object: "list",
  data: [
    { id: "scripted", type: "model", object: "model", display_name: "Scripted", created: 0, owned_by: "signalbox" },
  ],
  has_more: false,
  models: [{ name: "models/scripted", displayName: "Scripted", supportedGenerationMethods: ["generateContent"] }],
};

/** The JSON in a request's body, whatever content type it claims. Throws a BadRequest for one that cannot be played. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw new BadRequest(`${encoding} bodies are not supported`, 415);

  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytesOf(request)) {
    size += chunk.length;
    // Excess data is read and dropped, because a client that is still sending would not see an answer.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new BadRequest(`the body is larger than ${MAX_BODY_BYTES} bytes`, 413);
  return parseBody(Buffer.concat(chunks).toString("utf8"));
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** JSON.stringify is recursive, and captured bodies are written with it. */
const MAX_DEPTH = 500;

const bytesOf = (request: IncomingMessage): AsyncIterable<Uint8Array> => request;

function parseBody(text: string): unknown {
  if (jsonDepth(text) > MAX_DEPTH) throw new BadRequest(`the body is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return parseJson(text);
  } catch (cause) {
    throw new BadRequest(`the body is not JSON: ${messageOf(cause)}`);
  }
}
