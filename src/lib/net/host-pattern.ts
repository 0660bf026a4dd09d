import { inRange, parseAddress, parseRange } from "./ip-address.ts";

/**
 * An entry of an allow or deny list: `x`, `*.x` (below x), `**.x` (x and below), an address, or a block, each with an
 * optional port; or `host:PORT`, a service of the machine that the sandbox runs on.
 */
export interface HostPattern {
  readonly source: string;
  /** `any` only applies to names of a single host. */
  readonly port: number | "any" | undefined;
  readonly matches: (host: string) => boolean;
  /** It names a single host or address, so it may name a private one. */
  readonly exact: boolean;
}

/** The name of the machine that the sandbox runs on, because `localhost` is the sandbox itself. */
export const HOST_MACHINE = "host";

class BadHostPattern extends Error {
  override readonly name = "BadHostPattern";
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Suffixes under which anyone can register a name. */
const SHARED_ENDINGS = new Set(
  (
    "com org net io dev app co ai uk de fr nl eu us info biz xyz cloud co.uk org.uk com.au co.jp com.br co.in github.io gitlab.io " +
    "pages.dev workers.dev vercel.app netlify.app herokuapp.com amazonaws.com azurewebsites.net blogspot.com web.app"
  ).split(" "),
);

/** Throws with the reason when an entry has none of the forms above, or covers names that strangers can register. */
export function parseHostPattern(entry: string): HostPattern {
  if (/^host(?::\*)?$/i.test(entry)) throw new BadHostPattern(`${JSON.stringify(entry)} needs a port, as in host:5432`);
  if (/^[\w.-]+:\*$/.test(entry)) return { ...parseHostPattern(entry.slice(0, -2)), source: entry, port: "any" };
  const { host, port } = splitPort(entry);
  const address = parseAddress(host);
  if (address !== undefined) {
    const matches = (other: string) => parseAddress(other)?.every((byte, index) => byte === address[index]) === true;
    return { source: entry, port, exact: true, matches };
  }
  if (host.includes("/")) return { source: entry, port, exact: false, matches: readRange(entry, host) };
  const stars = /^\*{1,2}\./.exec(host)?.[0] ?? "";
  const name = host.slice(stars.length).toLowerCase();
  checkName(entry, stars, name);
  const matches =
    stars === ""
      ? (other: string) => other === name
      : (other: string) => other.endsWith(`.${name}`) || (stars === "**." && other === name);
  return { source: entry, port, matches, exact: stars === "" };
}

function checkName(entry: string, stars: string, name: string): void {
  const labels = name.split(".");
  if (!labels.every((label) => LABEL.test(label)))
    throw new BadHostPattern(`${JSON.stringify(entry)} is not a host name`);
  if (/^[\d.]+$|^0x/.test(name))
    throw new BadHostPattern(`${JSON.stringify(entry)} is an address in a form that is not accepted`);
  if (stars === "" && labels.length < 2 && name !== "localhost" && name !== HOST_MACHINE)
    throw new BadHostPattern(`${JSON.stringify(entry)} has no domain`);
  if (stars !== "" && (labels.length < 2 || SHARED_ENDINGS.has(name)))
    throw new BadHostPattern(`${JSON.stringify(entry)} covers names that anyone can register`);
}

function splitPort(entry: string): { readonly host: string; readonly port: number | undefined } {
  const found = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(entry);
  if (found === null) {
    if (parseAddress(entry) !== undefined) return { host: entry, port: undefined };
    throw new BadHostPattern(`${JSON.stringify(entry)} is not a host, an address or either with a port`);
  }
  const [, six, host, port] = found;
  if (six !== undefined && (!six.includes(":") || parseAddress(six) === undefined))
    throw new BadHostPattern(`${JSON.stringify(entry)} is not an address`);
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    throw new BadHostPattern(`${JSON.stringify(entry)} has no valid port`);
  return { host: six ?? host ?? "", port: port === undefined ? undefined : Number(port) };
}

function readRange(entry: string, host: string): (other: string) => boolean {
  const range = parseRange(host);
  const bits = Number(host.split("/")[1]);
  if (range === undefined || bits < 8)
    throw new BadHostPattern(`${JSON.stringify(entry)} is not a block of at most 2^24 addresses`);
  return (other) => {
    const address = parseAddress(other);
    return address !== undefined && inRange(address, range);
  };
}

/** True when an entry covers a target: on its own port, or on those the list allows for entries without one. */
export function covers(pattern: HostPattern, target: Target, ports: readonly number[]): boolean {
  if (!pattern.matches(target.host)) return false;
  if (pattern.port === "any") return true;
  if (pattern.port !== undefined) return pattern.port === target.port;
  return ports.length === 0 ? target.port === target.usualPort : ports.includes(target.port);
}

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
