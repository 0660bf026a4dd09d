import type { Verdict } from "../verdict.ts";

/** Where a request goes. */
export interface Target {
  readonly scheme: string;
  /** Lower case, without a last dot; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly usualPort: number;
}

export interface Refusal {
  readonly verdict: Verdict;
  readonly because: string;
}

const USUAL_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443, ftp: 21, ssh: 22, git: 9418, rsync: 873 };

/** Reads a URL with the one parser that counts, or says why it is refused. Never guesses a host. */
export function readTarget(text: string): Target | Refusal {
  const refused = (because: string, verdict: Verdict = "deny"): Refusal => ({ verdict, because });
  if (text.length > 8192) return refused("the URL is too long");
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/.test(text)) return refused("the URL holds a blank or control character");
  const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(text);
  if (shape === null) return refused("it is not a URL with a scheme and a host");
  const authority = shape[2] ?? "";
  if (text.includes("\\")) return refused("the URL holds a backslash");
  if (authority.includes("@")) return refused("the URL carries a user name or password");
  if (authority.includes("%")) return refused("the host is percent-encoded");
  if (!URL.canParse(text)) return refused("it is not a valid URL");
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "").toLowerCase();
  if (host === "" || host.length > 253) return refused("the URL has no host of a possible length");
  const labels = host.split(".");
  if (!host.includes(":") && labels.some((label) => label === "" || label.length > 63)) return refused("the host has an empty or overlong label");
  const usualPort = USUAL_PORTS[scheme] ?? 0;
  // Letters that fold into plain ones make a host that reads differently from what is called.
  if (/[^\u0000-\u007f]/.test(authority) && !labels.some((label) => label.startsWith("xn--"))) return refused("the host is written with look-alike letters", "ask");
  return { scheme, host, port: url.port === "" ? usualPort : Number(url.port), usualPort };
}
