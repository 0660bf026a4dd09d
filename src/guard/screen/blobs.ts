import { decodedView } from "./normalise.ts";
import { eachMatch, type View, type Stretch } from "./view.ts";

/**
 * Views of all base64, hexadecimal, binary and decimal character codes in the text that decode to readable text, up to
 * three layers deep.
 */
export function decodeBlobs(text: string): View[] {
  const views: View[] = [];
  const budget = { characters: MAX_DECODED };
  collect({ text, budget, views, depth: 0 });
  return views;
}

interface Layer {
  readonly text: string;
  readonly within?: Stretch;
  readonly budget: { characters: number };
  readonly views: View[];
  readonly depth: number;
}

const MAX_DECODED = 1 << 18;
const DEEPEST = 3;

function collect(layer: Layer): void {
  for (const { pattern, decode, hint } of CODES) {
    if (hint !== undefined && !layer.text.includes(hint)) continue;
    for (const run of eachMatch(layer.text, pattern)) {
      if (layer.budget.characters <= 0 || layer.views.length >= 64) return;
      layer.budget.characters -= run[0].length;
      const decoded = decode(run[0]);
      if (decoded === undefined) continue;
      const stretch = layer.within ?? { start: run.index, end: run.index + run[0].length };
      layer.views.push(decodedView(decoded, stretch, "encoded"));
      if (layer.depth < DEEPEST) collect({ ...layer, text: decoded, within: stretch, depth: layer.depth + 1 });
    }
  }
}

interface Code {
  readonly pattern: RegExp;
  readonly decode: (run: string) => string | undefined;
  /** Text without this cannot contain such a code. */
  readonly hint?: string;
}

const CODES: readonly Code[] = [
  {
    pattern: /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}/g,
    decode: (run) => (/[a-z]/.test(run) && /[A-Z0-9]/.test(run) ? readable(Buffer.from(run, "base64")) : undefined),
  },
  {
    pattern: /(?<![0-9A-Za-z])(?:(?:0x|\\x|=)?[0-9a-fA-F]{2}(?:, |[ ,:])?){8,}/g,
    decode: (run) => readable(Buffer.from(run.replaceAll(/0x|\\x|[ ,:=]/g, ""), "hex")),
  },
  {
    pattern: /(?<![\d.])(?:(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])(?:, ?|[ ;-])){7,}(?:1[01]\d|12[0-6]|[3-9]\d)(?!\d)/g,
    decode: (run) => readable(Buffer.from((run.match(/\d+/g) ?? []).map(Number))),
    hint: "10",
  },
  {
    pattern: /(?<![01])(?:[01]{8} ?){6,}/g,
    decode: (run) => readable(Buffer.from((run.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))),
  },
];

const strict = new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes bytes if a person would call the result text: valid UTF-8, hardly any control characters, with words in it.
 */
function readable(bytes: Buffer): string | undefined {
  if (bytes.length < 8) return undefined;
  // Rejects random bytes early, long before everything is decoded.
  for (let at = 0; at < 8; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 ? byte !== 0x0a && byte !== 0x09 : byte === 0x7f || (byte > 0x7f && byte < 0xc2)) {
      if (byte < 0x80 || at === 0) return undefined;
    }
  }
  try {
    const text = strict.decode(bytes.subarray(0, 1 << 16));
    // oxlint-disable-next-line no-control-regex
    const strange = text.match(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g)?.length ?? 0;
    return strange * 20 > text.length ? undefined : text;
  } catch {
    return undefined;
  }
}
