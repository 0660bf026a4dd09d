/** An address as 16 bytes; IPv4 in its mapped form. Undefined when the text is not an address. */
export function parseAddress(text: string): readonly number[] | undefined {
  const four = parseFour(text);
  if (four !== undefined) return [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...four];
  return parseSix(text);
}

function parseFour(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseSix(text: string): readonly number[] | undefined {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(":")) return undefined;
  const tail = /(?<=:)[\d.]+\.[\d.]+$/.exec(text)?.[0];
  const four = tail === undefined ? undefined : parseFour(tail);
  if (tail !== undefined && four === undefined) return undefined;
  const source = tail === undefined ? text : `${text.slice(0, -tail.length)}${hex(four, 0)}:${hex(four, 2)}`;
  const halves = source.split("::");
  if (halves.length > 2) return undefined;
  const read = (half: string | undefined) => (half === undefined || half === "" ? [] : half.split(":"));
  const [before, after] = [read(halves[0]), read(halves[1])];
  const missing = 8 - before.length - after.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}

function hex(four: readonly number[] | undefined, at: number): string {
  return (((four?.[at] ?? 0) << 8) | (four?.[at + 1] ?? 0)).toString(16);
}

interface Range {
  readonly bytes: readonly number[];
  readonly bits: number;
}

const MAPPED = 96;

/** A block such as `10.0.0.0/8` or `fc00::/7`. Undefined when the text is not a block. */
export function parseRange(text: string): Range | undefined {
  const [address = "", bits = ""] = text.split("/");
  const bytes = parseAddress(address);
  if (bytes === undefined || !/^\d{1,3}$/.test(bits)) return undefined;
  const size = Number(bits) + (address.includes(":") ? 0 : MAPPED);
  return size > 128 ? undefined : { bytes, bits: size };
}

export function inRange(address: readonly number[], range: Range): boolean {
  for (let bit = 0; bit < range.bits; bit += 8) {
    const mask = range.bits - bit >= 8 ? 255 : (255 << (8 - (range.bits - bit))) & 255;
    if (((address[bit / 8] ?? 0) & mask) !== ((range.bytes[bit / 8] ?? 0) & mask)) return false;
  }
  return true;
}

/** A check for addresses in these blocks, which are read when it is first used. */
function inBlocks(blocks: readonly string[]): (address: readonly number[]) => boolean {
  let ranges: readonly Range[] | undefined;
  return (address) => {
    ranges ??= blocks.flatMap((text) => parseRange(text) ?? []);
    return ranges.some((range) => inRange(address, range));
  };
}

/** This machine, link-local (cloud metadata among them), multicast, and IPv6 that embeds an IPv4 address. */
const NEVER_BY_NAME = [
  "0.0.0.0/8",
  "100.100.100.200/32",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "192.0.0.0/24",
  "192.88.99.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Addresses that embed an IPv4 address (compatible, translated, NAT64, 6to4, Teredo) could lead anywhere.
  "::/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "2002::/16",
  "2001::/32",
  "fd00:ec2::254/128",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

/** True for loopback, private, link-local, metadata, documentation, multicast and reserved addresses. */
export const isPrivate = inBlocks([
  ...NEVER_BY_NAME,
  "10.0.0.0/8",
  "100.64.0.0/10",
  // The platform of Azure, which hands out settings and certificates of the machine.
  "168.63.129.16/32",
  "172.16.0.0/12",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "100::/64",
  "2001:db8::/32",
  "3fff::/20",
  "fc00::/7",
]);

const isNeverByName = inBlocks(NEVER_BY_NAME);

/** True for an address that a host may have which a person listed by name, as a company's mirror does. */
export const isReachableByName = (address: readonly number[]): boolean => !isNeverByName(address);

/** True for addresses that reach the machine itself; the unspecified address does on Linux. */
export const isLoopback = inBlocks(["127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"]);

/** Whether the host of a URL is this machine. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
