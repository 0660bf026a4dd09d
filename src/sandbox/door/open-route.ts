import { connect, type LookupFunction, type Socket } from "node:net";
import type { Refusal, Target } from "../../lib/net/host-pattern.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { type Admission, admit, type Asker } from "./admit.ts";
import type { DoorLimits, DoorParts, HostBook } from "./door-records.ts";

/** A connection to the host that a client asked for, or the sentence that the client gets instead. */
export type Route =
  | { readonly kind: "open"; readonly upstream: Socket }
  | { readonly kind: "refused" | "failed"; readonly text: string };

/** Judges a request of a client, connects it, and writes down what happened. Never throws. */
export type OpenRoute = (target: Target | Refusal, id: string | undefined, client: Socket) => Promise<Route>;

/** After this many different refusals, commands are only told by the proxy's answer. */
const MAX_TOLD = 1000;

export function routeOpener(parts: DoorParts, limits: DoorLimits, book: HostBook): OpenRoute {
  const told = new Set<string>();

  const refuse = (target: Target | Refusal, because: string, { id, command }: Asker): Route => {
    const text = `blocked by the sandbox: ${because}. To run it outside: signalbox outside -- CMD`;
    book.refuse("because" in target ? undefined : target, because, command);
    const key = `${id}\n${text}`;
    if (id !== undefined && command !== undefined && !told.has(key) && told.size < MAX_TOLD) {
      told.add(key);
      parts.onRefused(id, text);
    }
    return { kind: "refused", text };
  };

  return async (target, id, client) => {
    try {
      return await open(target, id, client);
    } catch (error) {
      return { kind: "refused", text: `blocked by the sandbox: internal error (${messageOf(error)})` };
    }
  };

  async function open(target: Target | Refusal, id: string | undefined, client: Socket): Promise<Route> {
    const asker = { id, command: id === undefined ? undefined : parts.commandOf(id) };
    const admission = noteAllowed(await admit(target, asker, { ...parts, ...limits, book }), target, asker);
    if (admission.kind === "refused") return refuse(target, admission.because, asker);
    if (admission.kind === "failed") return { kind: "failed", text: admission.because };
    if ("because" in target) return refuse(target, target.because, asker);
    const { addresses } = admission;
    const upstream = await openUpstream({ addresses, port: target.port, client }, { ...parts, ...limits });
    if (upstream === undefined)
      return { kind: "failed", text: `${target.host}:${target.port} does not accept connections` };
    book.meter(target, upstream);
    return { kind: "open", upstream };
  }

  /** A host that cannot be recorded is not reached. */
  function noteAllowed(admission: Admission, target: Target | Refusal, { command }: Asker): Admission {
    if (admission.kind !== "admitted" || "because" in target) return admission;
    try {
      book.allow(target, command);
      return admission;
    } catch (error) {
      return { kind: "refused", because: `the connection cannot be recorded (${messageOf(error)})` };
    }
  }
}

/**
 * Connects to one of the addresses, which were resolved and judged before; nothing is resolved again. Undefined when
 * none of them answers in time, or when the client leaves.
 */
async function openUpstream(
  {
    addresses,
    port,
    client,
  }: { readonly addresses: readonly string[]; readonly port: number; readonly client: Socket },
  { connect: open = connectTo, connectTime }: Pick<DoorParts, "connect"> & { readonly connectTime: number },
): Promise<Socket | undefined> {
  if (client.destroyed) return undefined;
  const upstream = open(addresses, port);
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  const end = () => upstream.destroy();
  const timer = setTimeout(end, connectTime);
  client.once("close", end);
  upstream.on("error", end);
  upstream.once("close", () => resolve(undefined));
  upstream.once("connect", () => resolve(upstream));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    client.off("close", end);
  }
}

/** How long one address may take while there are others. */
const ATTEMPT_MS = 2000;

function connectTo(addresses: readonly string[], port: number): Socket {
  const known = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const pinned: LookupFunction = (_name, options, done) => {
    const [first] = known;
    if (options.all === true) done(null, known);
    else done(null, first?.address ?? "", first?.family ?? 4);
  };
  return connect({
    host: "judged.invalid",
    port,
    lookup: pinned,
    allowHalfOpen: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    noDelay: true,
  });
}
