import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { sha256 } from "../lib/json/sha256.ts";

/** Why a request is not answered. */
interface Refusal {
  readonly status: number;
  readonly because: string;
}

interface Admission {
  readonly port: number;
  readonly token: string;
}

/**
 * Refuses what does not come from our own page: other hosts (a name that was rebound to this machine), other origins,
 * and requests of other sites. `needsToken`: it is about data, and not a file of the page.
 */
export function refuseRequest(request: Asked, { port, token }: Admission, needsToken: boolean): Refusal | undefined {
  const { headers, method = "", url = "" } = request;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? "")) return { status: 421, because: "this host is not served here" };
  if (isOfOtherSite(request, needsToken)) return { status: 403, because: "requests of other sites are refused" };
  if (method !== "GET" && method !== "POST") return { status: 405, because: "only GET and POST" };
  // A token in an address ends up in histories and logs.
  if (/[?&]token=/i.test(url)) return { status: 400, because: "the token belongs in a header" };
  if (!needsToken) return method === "GET" ? undefined : { status: 405, because: "only GET" };
  if (!isSame(headers.authorization ?? "", `Bearer ${token}`)) return { status: 401, because: NO_TOKEN };
  if (method === "POST" && headers["content-type"] !== "application/json")
    return { status: 415, because: "only application/json" };
  return undefined;
}

const NO_TOKEN = "the token is missing or old: open the address that signalbox dashboard printed";

type Asked = Pick<IncomingMessage, "headers" | "method" | "url">;

/** A link elsewhere may open the page itself, which shows nothing without a token. */
function isOfOtherSite({ headers }: Asked, needsToken: boolean): boolean {
  const own = `http://${headers.host}`;
  if ((headers.origin ?? own) !== own) return true;
  const site = headers["sec-fetch-site"] ?? "none";
  const isOpened = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return site !== "same-origin" && site !== "none" && (needsToken || !isOpened);
}

/** Of equal length, so that the time tells nothing. */
const isSame = (one: string, other: string) => timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)));

/** For every answer. Nothing but the page's own files can run, and no text can become markup. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};
