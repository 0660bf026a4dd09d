import { lookup } from "node:dns/promises";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Policy } from "../../contract/policy.ts";
import { judgeUrlAccess } from "../../guard/judge/judge-access.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { parseAddress } from "../../lib/ip-address.ts";
import { isLoopback } from "../../lib/is-loopback.ts";

const MAX_BYTES = 16 * 1024 * 1024;

interface FetchPlace {
  readonly policy: Policy;
  /** The address that the user has configured. */
  readonly configured: string;
  /** Whether other hosts than those on the policy's list may be asked, as for a login that the user has begun. */
  readonly asksOthers?: boolean | undefined;
}

/**
 * A fetch for servers whose address the user has configured. That address may be on this machine, and need not be on
 * the policy's list; everything else that the policy denies stays denied. No answer is longer than 16 MiB.
 */
export function judgedFetch(place: FetchPlace): FetchLike {
  return async (url, init) => {
    await judge(String(url), place);
    const response = await fetch(url, { ...init, redirect: "manual" });
    return bounded(response, init?.method === "GET" ? Infinity : MAX_BYTES);
  };
}

async function judge(url: string, { policy, configured, asksOthers = false }: FetchPlace): Promise<void> {
  const [asked, known] = [new URL(url), new URL(configured)];
  const isKnown = asked.host === known.host || (isLoopback(asked.hostname) && isLoopback(known.hostname));
  const name = asked.hostname.replace(/^\[|\]$/g, "");
  const addresses = parseAddress(name) === undefined ? await resolved(name) : [name];
  const machine = { ...realMachine, addresses: () => addresses };
  const mayPass = (code: string) =>
    (code === "network-unlisted" && (isKnown || asksOthers)) ||
    (PRIVATE.has(code) && isKnown && !addresses.some(isMetadata));
  const objection = judgeUrlAccess(url, { policy, machine }).find(
    ({ verdict, code }) => verdict !== "allow" && !mayPass(code),
  );
  if (objection !== undefined)
    throw new Error(`${asked.host} is blocked: ${objection.because}. To allow it, change network in your policy`);
}

const PRIVATE = new Set(["network-private", "network-address"]);

/** Addresses where clouds keep credentials. */
const isMetadata = (address: string) => /^169\.254\.|^fe80:|^fd00:ec2:/i.test(address);

async function resolved(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new Error(`${name} has no address`, { cause: error });
  }
}

function bounded(response: Response, most: number): Response {
  if (response.body === null || most === Infinity) return response;
  let size = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size > most) controller.error(new Error("the answer of the server is larger than 16 MiB"));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}
