import { SHAPES } from "./token-shapes.ts";

export interface RedactOptions {
  /** Secrets known by value, such as those `secretValues` finds in an environment. */
  readonly values?: readonly string[];
}

export interface Redacted {
  readonly text: string;
  /** Number of replacements. */
  readonly count: number;
}

/**
 * Replaces secrets with markers such as `[redacted github-token]`. Linear in the length and idempotent: redacting twice
 * changes and counts nothing more.
 */
export function redact(text: string, options: RedactOptions = {}): Redacted {
  let count = 0;
  let result = redactOnce(text, options);
  // A marker can split text so that a remaining part looks like a secret.
  for (let round = 1; result.count > 0 && round < MAX_ROUNDS; round++) {
    count += result.count;
    result = redactOnce(result.text, options);
  }
  return { text: result.text, count: count + result.count };
}

const MAX_ROUNDS = 6;

function redactOnce(text: string, options: RedactOptions): Redacted {
  const markers = text.includes("[redacted ") ? [...text.matchAll(MARKER)].map(stretchOf) : [];
  const hits = [...hitsOfValues(text, options.values ?? []), ...hitsOfShapes(text)];
  if (hits.length === 0) return { text, count: 0 };
  return replace(text, withoutOverlaps(hits, markers));
}

/** The values of the environment variables whose names indicate a secret. */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value.length >= SHORTEST_SECRET && SECRET_NAME.test(name) && !value.startsWith("/")
      ? [value]
      : [],
  );
  return [...new Set(values)];
}

const SHORTEST_SECRET = 8;
const SECRET_NAME =
  /(?:^|_)(?:api_?keys?|access_?keys?|private_?keys?|secrets?|secret_?keys?|tokens?|passwords?|passwd|passphrase|pwd|pat|credentials?|auth|dsn|cookie|connection_?string|signing_?key|encryption_?key|webhook_?url)(?:_|$)|(?:TOKEN|SECRET|PASSWORD|APIKEY)$/i;

interface Hit {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

function hitsOfValues(text: string, values: readonly string[]): Hit[] {
  const hits: Hit[] = [];
  for (const value of values) {
    if (value.length < SHORTEST_SECRET) continue;
    for (let start = text.indexOf(value); start !== -1; start = text.indexOf(value, start + value.length)) {
      hits.push({ start, end: start + value.length, kind: "secret" });
    }
  }
  return hits;
}

function hitsOfShapes(text: string): Hit[] {
  const hits: Hit[] = [];
  for (const { kind, hint, pattern, harmless } of SHAPES) {
    if (typeof hint === "string" ? !text.includes(hint) : !hint.test(text)) continue;
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.groups?.["secret"] ?? [match.index, match.index + match[0].length];
      if (!harmless?.test(text.slice(start, end))) hits.push({ start, end, kind });
    }
  }
  return hits;
}

const MARKER = /\[redacted [a-z-]+\]/g;

const stretchOf = (match: RegExpExecArray): Hit => ({
  start: match.index,
  end: match.index + match[0].length,
  kind: "",
});

/** In order. Of two overlapping hits the first stays, extended over the other. Hits inside a marker are dropped. */
function withoutOverlaps(hits: readonly Hit[], markers: readonly Hit[]): Hit[] {
  const mergedHits: Hit[] = [];
  let nextMarker = 0;
  for (const hit of hits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    while ((markers[nextMarker]?.end ?? Number.POSITIVE_INFINITY) <= hit.start) nextMarker++;
    const marker = markers[nextMarker];
    if (marker && hit.start >= marker.start && hit.end <= marker.end) continue;
    const last = mergedHits.at(-1);
    if (!last || hit.start >= last.end) mergedHits.push(hit);
    else if (hit.end > last.end) mergedHits[mergedHits.length - 1] = { ...last, end: hit.end };
  }
  return mergedHits;
}

function replace(text: string, hits: readonly Hit[]): Redacted {
  let result = "";
  let copied = 0;
  for (const { start, end, kind } of hits) {
    result += `${text.slice(copied, start)}[redacted ${kind}]`;
    copied = end;
  }
  return { text: result + text.slice(copied), count: hits.length };
}

/**
 * The same JSON value with the secrets in its strings replaced, including those recognizable only by their field name.
 */
export function redactJson(value: unknown, options: RedactOptions = {}): unknown {
  const known = new Map<string, FieldName>();
  const nameOf = (name: string) => {
    const seen = known.get(name) ?? readName(name, options);
    known.set(name, seen);
    return seen;
  };
  const walk = (item: unknown): unknown => {
    if (typeof item === "string") return redact(item, options).text;
    if (Array.isArray(item)) return item.map(walk);
    if (typeof item !== "object" || item === null || JSON.isRawJSON(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([name, field]) => redactField(nameOf(name), field, walk)));
  };
  return walk(value);
}

/** The same name may occur on thousands of fields, so it is classified once. */
interface FieldName {
  readonly name: string;
  readonly redacted: string;
  /** The name indicates a secret value. */
  readonly indicatesSecret: boolean;
}

function readName(name: string, options: RedactOptions): FieldName {
  const indicatesSecret = secretValues({ [name]: "any long value" }).length > 0;
  return { name, redacted: redact(name, options).text, indicatesSecret };
}

function redactField(
  { name, redacted, indicatesSecret }: FieldName,
  value: unknown,
  walk: (value: unknown) => unknown,
) {
  const secret = indicatesSecret && typeof value === "string" && secretValues({ [name]: value }).length > 0;
  return [redacted, secret && !value.startsWith("[redacted ") ? "[redacted secret]" : walk(value)] as const;
}
