/** Where a request goes. */
export interface Target {
  readonly scheme: string;
  /** Lower case, without a trailing dot; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly usualPort: number;
  /** Written with characters that fold to ASCII, so it does not read like the host that is actually called. */
  readonly lookalike?: boolean;
}

export interface Refusal {
  readonly because: string;
}

const USUAL_PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
  ftp: 21,
  ssh: 22,
  git: 9418,
  rsync: 873,
};

/** Parses a URL with the one authoritative parser, or says why it is rejected. Never guesses a host. */
export function readTarget(text: string): Target | Refusal {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(text)?.[1];
  const because = objectToUrl(text, authority);
  if (because !== undefined) return { because };
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  const host = url.hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (host === "" || host.length > 253) return { because: "the URL has no valid host" };
  const labels = host.split(".");
  if (!host.includes(":") && labels.some((label) => label === "" || label.length > 63))
    return { because: "the host has an empty or overlong label" };
  const usualPort = USUAL_PORTS[scheme] ?? 0;
  const lookalike = /[^\u0000-\u007f]/.test(authority ?? "") && !labels.some((label) => label.startsWith("xn--"));
  return { scheme, host, port: url.port === "" ? usualPort : Number(url.port), usualPort, lookalike };
}

function objectToUrl(text: string, authority: string | undefined): string | undefined {
  if (text.length > 8192) return "the URL is too long";
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/.test(text)) return "the URL contains a space or control character";
  if (authority === undefined || authority === "") return "not a URL with a scheme and a host";
  if (text.includes("\\")) return "the URL contains a backslash";
  if (authority.includes("@")) return "the URL contains a user name or password";
  if (authority.includes("%")) return "the host is percent-encoded";
  return URL.canParse(text) ? undefined : "it is not a valid URL";
}
