/** How a text is stored in its file. `latin1` stands for any legacy one-byte encoding; its bytes are preserved. */
type Encoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "latin1";

export interface TextForm {
  readonly text: string;
  readonly encoding: Encoding;
}

/** The text of a file, or undefined when it is not text. `encodeText` turns it back into the same bytes. */
export function decodeText(bytes: Buffer): TextForm | undefined {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return wide(bytes, "utf-16le");
  if (first === 0xfe && second === 0xff) return wide(bytes, "utf-16be");
  const marked = first === 0xef && second === 0xbb && third === 0xbf;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(marked ? bytes.subarray(3) : bytes);
    return text.includes("\0") ? undefined : { text, encoding: marked ? "utf-8-bom" : "utf-8" };
  } catch {
    return looksPacked(bytes) ? undefined : { text: bytes.toString("latin1"), encoding: "latin1" };
  }
}

const SAMPLE = 8192;

/** Zero bytes, or more control characters than text has. */
function looksPacked(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  if (bytes.includes(0)) return true;
  return sample.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27)).length * 50 > sample.length;
}

function wide(bytes: Buffer, encoding: "utf-16le" | "utf-16be"): TextForm | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const body = encoding === "utf-16le" ? bytes.subarray(2) : Buffer.from(bytes.subarray(2)).swap16();
  const text = body.toString("utf16le");
  return text.isWellFormed() && !text.includes("\0") ? { text, encoding } : undefined;
}

/** Encodes a text in its file's encoding. Throws when the encoding cannot represent it. */
export function encodeText({ text, encoding }: TextForm): Buffer {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text, "utf8");
    case "utf-8-bom":
      return Buffer.from(`\ufeff${text}`, "utf8");
    case "utf-16le":
      return Buffer.from(`\ufeff${text}`, "utf16le");
    case "utf-16be":
      return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
    case "latin1":
      if (/[^\u0000-\u00ff]/.test(text))
        throw new Error("the file uses an old one-byte encoding that cannot represent some of the new text");
      return Buffer.from(text, "latin1");
  }
}
