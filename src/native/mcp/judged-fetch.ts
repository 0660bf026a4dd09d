import { lookup } from "node:dns/promises";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Policy } from "../../contract/policy.ts";
import { judgeUrlAccess } from "../../guard/access/judge-access.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { inRange, isLoopbackHost, isPrivate, parseAddress, parseRange } from "../../lib/net/ip-address.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * A fetch for servers whose address the user has configured. That address may be on this machine, and need not be on
 * the policy's list; everything else that the policy denies stays denied. With `asksOthers`, as for a login that the
 * user has begun, other public hosts need not be on the list either. No answer, and no event of a stream, is longer
 * than 16 MiB.
 */
export function judgedFetch(policy: Policy, configured: string, asksOthers = false): FetchLike {
  return async (url, init) => {
    await judge(String(url), policy, configured, asksOthers);
    const response = await fetch(url, { ...init, redirect: "manual" });
    return bounded(response);
  };
}

async function judge(url: string, policy: Policy, configured: string, asksOthers: boolean): Promise<void> {
  const [asked, known] = [new URL(url), new URL(configured)];
  if (!["http:", "https:"].includes(asked.protocol)) throw new Error(`${asked.protocol} addresses are not requested`);
  const isKnown = asked.host === known.host || (isLoopbackHost(asked.hostname) && isLoopbackHost(known.hostname));
  const name = asked.hostname.replace(/^\[|\]$/g, "");
  const addresses = parseAddress(name) === undefined ? await resolved(name) : [name];
  const bytes = addresses.map((address) => parseAddress(address) ?? []);
  if (bytes.some((address) => METADATA.some((range) => inRange(address, range))))
    throw new Error(`${asked.host} is blocked: clouds keep credentials at this address`);
  const machine = { ...realMachine, addresses: () => addresses };
  // Only the user's own choice may be on this machine or in its network.
  const mayPass = (code: string) =>
    isKnown ? PASSED.has(code) : asksOthers && code === "network-unlisted" && !bytes.some(isPrivate);
  const objection = judgeUrlAccess(url, { policy, machine }).find(
    ({ verdict, code }) => verdict !== "allow" && !mayPass(code),
  );
  if (objection !== undefined)
    throw new Error(`${asked.host} is blocked: ${objection.because}. To allow it, change network in your policy`);
}

/** What the guard objects to at an address that the user has chosen. */
const PASSED = new Set(["network-unlisted", "network-private", "network-address"]);

const METADATA = ["169.254.0.0/16", "fe80::/10", "fd00:ec2::/32"].flatMap((block) => parseRange(block) ?? []);

async function resolved(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new Error(`${name} has no address`, { cause: error });
  }
}

/** A stream may be endless, but not one event of it. */
function bounded(response: Response): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  let size = 0;
  let tail = "";
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const text = isStream ? `${tail}${Buffer.from(chunk).toString("latin1")}` : "";
        const end = Math.max(...EVENT_ENDS.map((mark) => text.lastIndexOf(mark)));
        size = end === -1 ? size + chunk.length : text.length - end;
        tail = text.slice(-3);
        if (size > MAX_BYTES) controller.error(new Error("the answer of the server is larger than 16 MiB"));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}

const EVENT_ENDS = ["\n\n", "\r\r", "\r\n\r\n"];
