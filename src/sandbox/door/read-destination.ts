import { readTarget, type Refusal, type Target } from "../../lib/url-target.ts";

/**
 * Where a CONNECT or SOCKS request goes, from `host:port` as the client wrote it. It is read like a URL, so that an
 * address in any spelling is judged as the address it means. A request on port 80 counts as http, any other as https.
 */
export function readDestination(authority: string): Target | Refusal {
  const port = /:(\d{1,5})$/.exec(authority)?.[1];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    return { because: "the request names no valid port" };
  if (/[/?#]/.test(authority)) return { because: "the request names no host" };
  return readTarget(`${Number(port) === 80 ? "http" : "https"}://${authority}`);
}
