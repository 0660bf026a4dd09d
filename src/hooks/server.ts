import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import type { HookOutput } from "./hook-answer.ts";
import { isHookEvent } from "../agents/dialect/hook-event.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import { MAX_PAYLOAD_BYTES } from "../agents/dialect/read-payload.ts";
import { sealedAnswer } from "./sealed-answer.ts";

/** One call of a hook, as a wrapper sends it. `via` tells registrations apart that see the same event. */
export interface HookRequest {
  readonly event: HookEventName;
  readonly via: string;
  readonly text: string;
  /** Hooks that the caller remembers, when it is a staged wrapper. */
  readonly remembered?: readonly string[];
}

export type AnswerRequest = (request: HookRequest) => Promise<HookOutput>;

export interface RequestAnswerer extends Disposable {
  readonly answer: AnswerRequest;
}

export interface ServerParts {
  /** A path for a unix socket; without one a port on loopback is opened. */
  readonly socket: string | undefined;
  readonly token: string;
  readonly seal: string;
  readonly answer: AnswerRequest;
}

export interface HookServer extends Disposable {
  /** 0 for a unix socket. */
  readonly port: number;
}

const MAX_HEADER = 256;
const PATIENCE = 30_000;

/** Listens for hooks. A caller without the token, or with anything but one whole request, gets no answer. */
export async function openHookServer(parts: ServerParts): Promise<HookServer> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // A wrapper that gave up breaks its connection; the next one must be served all the same.
    socket.on("error", () => socket.destroy());
    socket.setTimeout(PATIENCE, () => socket.destroy());
    serve(socket, parts);
  });
  server.maxConnections = 512;
  server.listen(parts.socket === undefined ? { host: "127.0.0.1", port: 0 } : { path: parts.socket });
  await once(server, "listening");
  // The launch ends with its agent, not with its server.
  server.unref();
  return { port: portOf(server), [Symbol.dispose]: () => server.close() };
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

function serve(socket: Socket, parts: ServerParts): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let wanted: Wanted | undefined;
  const read = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    wanted ??= readHeader(chunks, size, parts.token);
    if (wanted === "wrong") return socket.destroy();
    if (wanted === undefined || size < wanted.start + wanted.length) return undefined;
    socket.off("data", read);
    const body = Buffer.concat(chunks)
      .subarray(wanted.start, wanted.start + wanted.length)
      .toString("utf8");
    return void reply(socket, { event: wanted.event, via: wanted.via, ...split(body, wanted.names) }, parts);
  };
  socket.on("data", read);
}

async function reply(socket: Socket, request: HookRequest, { answer, seal }: ServerParts): Promise<void> {
  try {
    socket.end(sealedAnswer(await answer(request), seal));
  } catch {
    // No answer makes the wrapper ask the bundle, and refuse when that fails too.
    socket.destroy();
  }
}

/** Names come before the text, each ended by a NUL. */
function split(body: string, names: number): Pick<HookRequest, "text" | "remembered"> {
  if (names === 0) return { text: body };
  const pieces = body.split("\0");
  return { remembered: pieces.slice(0, names), text: pieces.slice(names).join("\0") };
}

interface Header {
  readonly event: HookEventName;
  readonly via: string;
  readonly start: number;
  readonly length: number;
  readonly names: number;
}

type Wanted = Header | "wrong";

function readHeader(chunks: readonly Buffer[], size: number, token: string): Wanted | undefined {
  const start = Buffer.concat(chunks).subarray(0, MAX_HEADER);
  const end = start.indexOf(10);
  if (end === -1) return size > MAX_HEADER ? "wrong" : undefined;
  const words = start.subarray(0, end).toString("latin1").split(" ");
  const [given = "", event = "", via = "", length = "", names = "0"] = words;
  if (!sameText(given, token) || !isHookEvent(event)) return "wrong";
  if (!/^\d{1,9}$/.test(length) || !/^\d{1,3}$/.test(names) || Number(length) > MAX_PAYLOAD_BYTES) return "wrong";
  return { event, via, start: end + 1, length: Number(length), names: Number(names) };
}

/** Crypto takes 4 ms to load: not before the agent is started. */
function sameText(one: string, other: string): boolean {
  const { timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

export interface LateAnswerer extends RequestAnswerer {
  readonly load: () => Promise<void>;
  /** True when somebody has asked. */
  readonly heard: () => boolean;
}

/** Answers as soon as what answers is loaded, by the first request or before. Callers wait until then. */
export function lateAnswerer(open: () => Promise<RequestAnswerer>): LateAnswerer {
  let heard = false;
  let opened: RequestAnswerer | undefined;
  let opening: Promise<RequestAnswerer> | undefined;
  const load = async () => (opened = await (opening ??= open()));
  return {
    load: async () => void (await load()),
    async answer(request) {
      heard = true;
      return await (await load()).answer(request);
    },
    heard: () => heard,
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  };
}
