export interface RedactOptions {
  /** Secrets known by value, such as those `secretValues` finds in an environment. */
  readonly values?: readonly string[];
}

interface Redacted {
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

/** A secret recognized by its format. The group `secret` is replaced, or else the whole match. */
interface TokenShape {
  readonly kind: string;
  readonly pattern: RegExp;
  /** Text without this cannot match. Saves compiling a large pattern. */
  readonly hint: string | RegExp;
  /** Matches placeholders and already redacted text. */
  readonly harmless?: RegExp;
}

const HARMLESS =
  /^(?:\[redacted(?:$| [a-z-]+\])|<|\$|%|\{|\*{2,}|\.{3}|x{4,}|(?:your|my|the|example|changeme|placeholder|dummy|redacted|null|none|undefined|true|false|string|process\.env|os\.environ|secrets\.|env\.|var\.)(?![a-z0-9]{6}))/i;

const NAMES = /auth|cookie|bearer|pass|pwd|secret|token|key|credential/i;

// Each pattern starts at a boundary and repeats one class, so that each character is visited only a few times.
const SHAPES: readonly TokenShape[] = [
  {
    kind: "private-key",
    hint: "PRIVATE KEY",
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.]|-(?!----))*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  { kind: "github-token", pattern: /\bgh[pousr]_[A-Za-z0-9]{20,255}/g, hint: "gh" },
  { kind: "github-token", pattern: /\bgithub_pat_[A-Za-z0-9_]{20,255}/g, hint: "github_pat_" },
  { kind: "gitlab-token", pattern: /\bgl(?:pat|dt|rt|ptt|cbt)-[\w-]{20,255}/g, hint: "gl" },
  { kind: "anthropic-key", pattern: /\bsk-ant-[\w-]{16,255}/g, hint: "sk-ant-" },
  { kind: "openai-key", pattern: /\bsk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,255}/g, hint: "sk-" },
  { kind: "aws-key", hint: /A[KSBC][IC]A/, pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g },
  { kind: "google-key", pattern: /\bAIza[\w-]{35}/g, hint: "AIza" },
  { kind: "google-token", hint: /ya29|GOCSPX/, pattern: /\b(?:ya29\.[\w-]{20,1000}|GOCSPX-[\w-]{20,60})/g },
  { kind: "slack-token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}|\bxapp-[A-Za-z0-9-]{10,255}/g, hint: "x" },
  {
    kind: "slack-webhook",
    pattern: /\bhooks\.slack\.com\/(?:services|workflows)\/[\w/]{10,200}/g,
    hint: "hooks.slack",
  },
  { kind: "npm-token", pattern: /\bnpm_[A-Za-z0-9]{30,100}/g, hint: "npm_" },
  { kind: "pypi-token", pattern: /\bpypi-[\w-]{40,500}/g, hint: "pypi-" },
  { kind: "stripe-key", hint: "k_", pattern: /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}/g },
  { kind: "huggingface-token", pattern: /\bhf_[A-Za-z0-9]{30,100}/g, hint: "hf_" },
  { kind: "sendgrid-key", pattern: /\bSG\.[\w-]{16,32}\.[\w-]{16,64}/g, hint: "SG." },
  { kind: "jwt", pattern: /\beyJ[\w-]{8,4000}\.eyJ[\w-]{2,8000}\.[\w-]{0,4000}/g, hint: "eyJ" },
  {
    kind: "authorization",
    hint: NAMES,
    pattern:
      /\b(?:authorization|proxy-authorization|x-api-key|x-auth-token|private-token|(?:set-)?cookie)["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:basic|bearer|token|digest|apikey)\s{1,4})?(?<secret>[^\s"',;]{4,8000})/dgi,
    harmless: HARMLESS,
  },
  {
    kind: "bearer",
    hint: NAMES,
    pattern: /\bbearer\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{16,8000})/dgi,
    harmless: HARMLESS,
  },
  {
    kind: "url-password",
    hint: "://",
    pattern: /\b[a-z][a-z0-9+.-]{1,30}:\/\/(?<secret>[^\s/?#@:"'<>]{0,200}:[^\s/?#@"'<>]{1,500})@/dgi,
    harmless: HARMLESS,
  },
  {
    kind: "url-token",
    hint: "://",
    pattern: /:\/\/(?<secret>[A-Za-z0-9_-]{16,500})@/dg,
    harmless: HARMLESS,
  },
  {
    kind: "secret",
    hint: NAMES,
    pattern:
      /(?<![a-z0-9])(?:[a-z0-9]{1,30}[_.-]){0,4}(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?token|credentials?)(?:_?id)?["'`]?\s{0,4}(?:=>|:=|[:=])\s{0,4}["']?(?<secret>(?<=")[^"\n]{6,2000}(?=")|(?<=')[^'\n]{6,2000}(?=')|(?<!["'])[^\s"'`,;)}\]&|<>]{6,2000})/dgi,
    harmless: HARMLESS,
  },
  {
    kind: "secret",
    hint: NAMES,
    pattern:
      /(?<![\w-])--?(?:password|passwd|token|api-?key|secret|auth-?token)[= ](?<secret>[^\s"'`;|&<>-][^\s"'`;|&<>]{5,2000})/dgi,
    harmless: HARMLESS,
  },
];
