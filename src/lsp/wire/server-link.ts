import * as z from "zod";
import { messageOf } from "../../lib/message-of.ts";
import { type StartedServer, tellingLine } from "../../tools/command/start-server.ts";
import { answerServer } from "./answer-server.ts";
import { openRequests, type RequestLimit, ServerError } from "./requests.ts";
import { encodeMessage, readMessages, type WireMessage } from "./read-messages.ts";

/** The other end of a JSON-RPC connection with a language server. */
export interface ServerLink {
  /** The result, unchecked. Throws a `ServerError` for an error that the server answers with. */
  request(method: string, params: object, limit: RequestLimit): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Resolves with the reason as soon as the server cannot be used any more. */
  readonly closed: Promise<string>;
  end(): Promise<void>;
}

const Message = z.object({
  id: z.union([z.number(), z.string().max(1000)]).nullish(),
  method: z.string().max(1000).optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number().catch(0), message: z.string().catch("") })
    .optional()
    .catch(undefined),
});

/** More than a server sends while it loads a large project. */
const MAX_MESSAGES = 20_000;
const PER_MS = 10_000;
const MAX_UNREAD = 64 * 1024 * 1024;

/** Speaks with a started server. `onNotification` must not throw. */
export function openLink(server: StartedServer, onNotification: (method: string, params: unknown) => void): ServerLink {
  const { child } = server;
  const closing = Promise.withResolvers<string>();
  let isClosed = false;

  const close = async (why: string) => {
    if (!isClosed) {
      isClosed = true;
      closing.resolve(why);
      requests.failAll(why);
    }
    await server.end();
  };
  const send = (message: object) => {
    if (isClosed || child.stdin === null) return;
    child.stdin.write(encodeMessage({ jsonrpc: "2.0", ...message }));
    if (child.stdin.writableLength > MAX_UNREAD) void close("it does not read what it is sent");
  };
  const requests = openRequests(send);
  const take = (message: WireMessage) => {
    // It is not known whose answer it was.
    if ("tooLong" in message) return requests.failAll("the answer of the server is larger than 16 MiB");
    const { data } = Message.safeParse(message.value);
    if (data === undefined) throw new Error("it sent a message that is not JSON-RPC");
    const { id, method, params, result, error } = data;
    if (method === undefined)
      requests.settle(id, error === undefined ? (result ?? null) : new ServerError(error.code, error.message));
    else if (id === undefined || id === null) onNotification(method, params);
    else send({ id, ...answerServer(method, params) });
  };
  void readAll(server, take).then(close);
  return {
    async request(method, params, limit) {
      if (isClosed) throw new Error("the server has ended");
      return await requests.ask(method, params, limit);
    },
    notify: (method, params) => send({ method, params }),
    closed: closing.promise,
    end: () => close("the session has ended"),
  };
}

/** Passes on every message until the server ends. Returns why it ended. */
async function readAll({ child, lastWords }: StartedServer, take: (message: WireMessage) => void): Promise<string> {
  if (child.stdout === null) return "it has no output";
  let [messages, since] = [0, Date.now()];
  try {
    for await (const message of readMessages(child.stdout)) {
      if (Date.now() - since > PER_MS) [messages, since] = [0, Date.now()];
      if (++messages > MAX_MESSAGES) return `it sent more than ${MAX_MESSAGES} messages in ${PER_MS / 1000} s`;
      take(message);
    }
    const words = tellingLine(lastWords());
    return words === "" ? "it ended by itself" : `it ended by itself; it printed: ${words}`;
  } catch (error) {
    return messageOf(error);
  }
}
