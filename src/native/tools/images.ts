/** The media type of an image that models can view, from its first bytes. */
export function imageType(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  return /^RIFF[^]{4}WEBP/.test(start) ? "image/webp" : undefined;
}

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The size in pixels that an image's header gives. Undefined if the header is damaged or cut off. */
export function imageSize(bytes: Buffer, mediaType: string): ImageSize | undefined {
  try {
    return READERS[mediaType]?.(bytes);
  } catch (error) {
    // Past the end of the file.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const READERS: Readonly<Record<string, (bytes: Buffer) => ImageSize | undefined>> = {
  "image/png": readPng,
  "image/jpeg": readJpeg,
  "image/gif": (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  "image/webp": readWebp,
};

function readPng(bytes: Buffer): ImageSize | undefined {
  if (bytes.toString("latin1", 12, 16) !== "IHDR") return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The size is in the first segment that starts a frame: SOF0 to SOF15, except for tables (C4, CC) and JPG (C8). */
function readJpeg(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; bytes.readUInt8(at) === 0xff;) {
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) at++;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Three forms: lossy, lossless and extended. */
function readWebp(bytes: Buffer): ImageSize | undefined {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
