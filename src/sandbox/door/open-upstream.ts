import { connect, type LookupFunction, type Socket } from "node:net";
import type { DoorParts } from "./door-parts.ts";

/**
 * Connects to one of the addresses, which were resolved and judged before; nothing is resolved again. Undefined when
 * none of them answers in time, or when the client leaves.
 */
export async function openUpstream(
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
