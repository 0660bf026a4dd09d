import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { BoardReader } from "../board/read-board.ts";
import { type SeenBoard, watchBoard } from "../board/watch-board.ts";
import type { BoardEntry } from "../contract/board-entry.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { jsonIfValid } from "../lib/json/parse-json.ts";
import { packageFolder } from "../lib/path/package-folder.ts";
import { errorCode, isUserError, messageOf, UserError } from "../lib/text/user-error.ts";
import { refuseRequest, SAFE_HEADERS } from "./admit-request.ts";

/** What the page can ask for beside the board. */
export interface DashboardAnswers {
  readonly open: (entry: BoardEntry) => unknown;
  /** A receipt with its seal, as the page verifies it. Throws a UserError if it cannot be shown. */
  readonly receipt: (id: string) => unknown;
  readonly proof: () => unknown;
  readonly stop: (entry: BoardEntry) => void;
}

interface Dashboard extends AsyncDisposable {
  readonly port: number;
  readonly token: string;
  /** With the token in the fragment, which no browser sends. */
  readonly url: string;
}

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["page.html", "text/html; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
  "/favicon.svg": ["favicon.svg", "image/svg+xml"],
};

const MAX_BODY = 16 * 1024;

const MAX_STREAMS = 100;

/** A stream that does not read gets no more until it does. */
const MAX_UNREAD = 1024 * 1024;

/** Serves the board to a browser on this machine, until it is disposed. Port 0 takes a free one. */
export async function serveDashboard(board: BoardReader, port: number, answers: DashboardAnswers): Promise<Dashboard> {
  const token = randomBytes(32).toString("base64url");
  const server = createServer({ requestTimeout: 10_000, maxHeaderSize: 16 * 1024 });
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (cause) {
    const fix = "pass another --port, or leave it out to take a free one";
    const why = errorCode(cause) === "EADDRINUSE" ? "the port is taken" : `cannot listen (${errorCode(cause)})`;
    throw new UserError(why, { where: `127.0.0.1:${port}`, fix, cause });
  }
  const feed = openFeed(board);
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  const site = { admission: { port: taken, token }, feed, answers };
  server.on("request", (request, response) => {
    answerRequest(request, response, site).catch((error: unknown) => fail(response, error));
  });
  return {
    port: taken,
    token,
    url: `http://127.0.0.1:${taken}/#${token}`,
    async [Symbol.asyncDispose]() {
      await feed[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Site {
  readonly admission: { readonly port: number; readonly token: string };
  readonly feed: Feed;
  readonly answers: DashboardAnswers;
}

async function answerRequest(request: IncomingMessage, response: ServerResponse, site: Site): Promise<void> {
  const [path = "/"] = (request.url ?? "/").split("?");
  const isData = path.startsWith("/api/");
  const refusal = refuseRequest(request, site.admission, isData);
  if (refusal !== undefined) return send(response, refusal.status, { because: refusal.because });
  if (!isData) return sendFile(response, path);
  const [, , what = "", id = ""] = path.split("/");
  const { feed, answers } = site;
  if (request.method === "POST") {
    const entry = feed.entry(await idIn(request));
    if (what !== "stop" || entry === undefined) return send(response, 404, { because: "nothing like that is here" });
    answers.stop(entry);
    return send(response, 200, { stopped: entry.id });
  }
  const entry = feed.entry(id);
  if (what === "board") return feed.join(response, Number(id) || 0);
  if (what === "proof") return send(response, 200, answers.proof());
  if (what === "receipt") return send(response, 200, answers.receipt(id));
  if (what === "entry" && entry !== undefined) return send(response, 200, answers.open(entry));
  send(response, 404, { because: "nothing like that is here" });
}

function send(response: ServerResponse, status: number, value: unknown): void {
  // What was not read of a request is not waited for.
  const close = status >= 400 ? { connection: "close" } : {};
  response.writeHead(status, { ...SAFE_HEADERS, ...close, "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else send(response, isUserError(error) ? 409 : 500, { because: messageOf(error) });
}

function sendFile(response: ServerResponse, path: string): void {
  const [file, type] = FILES[path] ?? [];
  if (file === undefined || type === undefined) return send(response, 404, { because: "no such page" });
  response.writeHead(200, { ...SAFE_HEADERS, "content-type": type });
  response.end(readFileSync(join(packageFolder(), "dist/page", file)));
}

/** The id in the body of a request. Throws a UserError for anything else. */
async function idIn(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY) throw new UserError("the request is too large", { fix: "send only an id" });
    chunks.push(bytes);
  }
  const value = jsonIfValid(Buffer.concat(chunks).toString("utf8"));
  const id = isRecord(value) ? value["id"] : undefined;
  if (typeof id === "string") return id;
  throw new UserError("the request has no id", { fix: "send JSON with an id" });
}

/** The board as streams of JSON lines, all fed by one reader. */
interface Feed extends AsyncDisposable {
  readonly entry: (id: string) => BoardEntry | undefined;
  /** Sends the board, and again whenever it changes. `after`: the last one that was seen. */
  readonly join: (response: ServerResponse, after: number) => void;
}

function openFeed(board: BoardReader): Feed {
  const streams = new Set<ServerResponse>();
  const end = new AbortController();
  let last: SeenBoard | undefined;
  const write = (response: ServerResponse) => {
    if (last !== undefined && response.writableLength < MAX_UNREAD) response.write(`${JSON.stringify(last)}\n`);
  };
  const feeding = (async () => {
    for await (const seen of watchBoard(board, end.signal)) {
      last = seen;
      streams.forEach(write);
    }
  })();
  return {
    entry: (id) => last?.entries.find((entry) => entry.id === id),
    join(response, after) {
      if (streams.size >= MAX_STREAMS) return send(response, 429, { because: "too many pages are open" });
      response.writeHead(200, { ...SAFE_HEADERS, "content-type": "application/x-ndjson" });
      response.flushHeaders();
      streams.add(response);
      response.on("close", () => streams.delete(response));
      response.on("drain", () => write(response));
      if (last?.seq !== after) write(response);
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await feeding;
      streams.forEach((response) => response.end());
    },
  };
}
