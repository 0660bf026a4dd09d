import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { isHookEvent, MAX_PAYLOAD_BYTES } from "../agents/pack/hook-event.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import { type HookOutput, sealedAnswer } from "./server-protocol.ts";

/** One hook call, as a wrapper sends it. `via` distinguishes registrations that see the same event. */
export interface HookRequest {
  readonly event: HookEventName;
  readonly via: string;
  readonly text: string;
  /** Hooks that the caller remembers, if it is a staged wrapper. */
  readonly remembered?: readonly string[];
}

/** What the wrappers of staged hooks report by. That of an agent other than the launched one adds its name. */
const STAGED = "staged";

export const isStaged = (via: string) => via === STAGED || via.startsWith(`${STAGED}-`);

/** True for a staged wrapper of another agent: some agents also run the hooks that were meant for another one. */
export const isOfOtherAgent = (via: string) => isStaged(via) && via !== STAGED;

export type AnswerRequest = (request: HookRequest) => Promise<HookOutput>;

export interface RequestAnswerer extends Disposable {
  readonly answer: AnswerRequest;
}

export interface ServerParts {
  /** The path of a Unix socket. Without one, the server listens on a loopback port. */
  readonly socket: string | undefined;
  readonly token: string;
  readonly seal: string;
  readonly answer: AnswerRequest;
}

export interface HookServer extends Disposable {
  /** 0 for a Unix socket. */
  readonly port: number;
}

const MAX_HEADER = 256;
const PATIENCE = 30_000;
/** Connections without the token, which any user of this machine can open. */
const MAX_STRANGERS = 256;

/** Listens for hook calls. A caller without the token, or with anything but one complete request, gets no answer. */
export async function openHookServer(parts: ServerParts): Promise<HookServer> {
  const strangers = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // A wrapper that gives up breaks its connection; the server must keep serving others.
    socket.on("error", () => socket.destroy());
    socket.setTimeout(PATIENCE, () => socket.destroy());
    serve(socket, parts, () => strangers.delete(socket));
    strangers.add(socket);
    socket.once("close", () => strangers.delete(socket));
    // The oldest one goes, because a wrapper sends its token at once.
    const [oldest] = strangers;
    if (strangers.size > MAX_STRANGERS) oldest?.destroy();
  });
  server.listen(parts.socket === undefined ? { host: "127.0.0.1", port: 0 } : { path: parts.socket });
  await once(server, "listening");
  // The launch ends with its agent, so the server must not keep the process alive.
  server.unref();
  return { port: portOf(server), [Symbol.dispose]: () => server.close() };
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

function serve(socket: Socket, parts: ServerParts, onKnown: () => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let wanted: Wanted | undefined;
  const cutShort = () => socket.destroy();
  const read = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    wanted ??= readHeader(chunks, size, parts.token);
    if (wanted === "wrong") return socket.destroy();
    if (wanted !== undefined) onKnown();
    if (wanted === undefined || size < wanted.start + wanted.length) return undefined;
    socket.off("data", read).off("end", cutShort);
    // From here on it waits for us, and a check at a stop takes its time.
    socket.setTimeout(0);
    const body = Buffer.concat(chunks)
      .subarray(wanted.start, wanted.start + wanted.length)
      .toString("utf8");
    return void reply(socket, { event: wanted.event, via: wanted.via, ...split(body, wanted.names) }, parts);
  };
  socket.on("data", read).on("end", cutShort);
}

async function reply(socket: Socket, request: HookRequest, { answer, seal }: ServerParts): Promise<void> {
  try {
    socket.end(sealedAnswer(await answer(request), seal));
  } catch {
    // Without an answer the wrapper asks the bundle, and refuses if that fails too.
    socket.destroy();
  }
}

/** Names come before the text, each terminated by a NUL. */
function split(body: string, names: number): { text: string; remembered?: readonly string[] } {
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
  const [sentToken = "", event = "", via = "", length = "", names = "0"] = words;
  if (!sameText(sentToken, token) || !isHookEvent(event)) return "wrong";
  if (!/^\d{1,9}$/.test(length) || !/^\d{1,3}$/.test(names) || Number(length) > MAX_PAYLOAD_BYTES) return "wrong";
  return { event, via, start: end + 1, length: Number(length), names: Number(names) };
}

/** Loads crypto late: it takes 4 ms, which would delay the agent's start. */
function sameText(one: string, other: string): boolean {
  const { timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

export interface LateAnswerer extends RequestAnswerer {
  readonly load: () => Promise<void>;
  /** True once a request has arrived. */
  readonly heard: () => boolean;
}

/** Loads the real answerer on the first request, or earlier with `load`. Requests wait until it is loaded. */
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
