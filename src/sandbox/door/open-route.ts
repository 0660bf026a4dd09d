import type { Socket } from "node:net";
import type { Refusal, Target } from "../../lib/url-target.ts";
import { messageOf } from "../../lib/message-of.ts";
import { admit, type Admission, type Asker } from "./admit.ts";
import type { DoorLimits, DoorParts } from "./door-parts.ts";
import type { HostBook } from "./host-book.ts";
import { openUpstream } from "./open-upstream.ts";

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
