import { closeSync, openSync, writeSync } from "node:fs";

/** The output of a command, in bounded memory and bounded disk space, however much it prints. */
export interface OutputWindow {
  add(chunk: Uint8Array): void;
  /** Output since the last take: its beginning, its end, and how many bytes between them were dropped. */
  take(): OutputPart;
  /** The last bytes so far, taken or not. The same object until more arrives. */
  recent(): Buffer;
  close(): void;
  /** The file with the beginning of all output; created when needed. */
  readonly file: string;
}

export interface OutputPart {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly lost: number;
  /** Bytes since the beginning, taken or not. */
  readonly total: number;
  /** Bytes that the file contains. */
  readonly savedBytes: number;
}

interface WindowLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
  readonly fileBytes: number;
}

const WINDOW_LIMITS: WindowLimits = { headBytes: 64 * 1024, tailBytes: 64 * 1024, fileBytes: 8 * 1024 * 1024 };

/** Enough for the last line that people read. */
const RECENT_BYTES = 4096;

export function openWindow(file: string, limits = WINDOW_LIMITS): OutputWindow {
  let head: Buffer[] = [];
  let tail: Buffer[] = [];
  let [headSize, tailSize, lost, total, savedBytes] = [0, 0, 0, 0, 0];
  let descriptor: number | undefined;
  let last: Buffer = Buffer.alloc(0);

  let room = limits.fileBytes;
  const keep = (chunk: Buffer): void => {
    const part = chunk.subarray(0, room);
    if (part.length === 0) return;
    try {
      descriptor ??= openSync(file, "ax", 0o600);
      savedBytes += writeSync(descriptor, part);
      room -= part.length;
    } catch {
      // A full disk must not end the command; `savedBytes` tells the model how much was saved.
      room = 0;
    }
  };

  return {
    file,
    add(bytes) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      total += chunk.length;
      keep(chunk);
      last = (chunk.length < RECENT_BYTES ? Buffer.concat([last, chunk]) : chunk).subarray(-RECENT_BYTES);
      const first = chunk.subarray(0, limits.headBytes - headSize);
      if (first.length > 0) head.push(first);
      headSize += first.length;
      const rest = chunk.subarray(first.length);
      if (rest.length > 0) tail.push(rest);
      tailSize += rest.length;
      while (tailSize - (tail[0]?.length ?? 0) >= limits.tailBytes) {
        const gone = tail.shift()?.length ?? 0;
        tailSize -= gone;
        lost += gone;
      }
    },
    recent: () => last,
    take() {
      const end = Buffer.concat(tail);
      const over = Math.max(0, end.length - limits.tailBytes);
      const part = { head: Buffer.concat(head), tail: end.subarray(over), lost: lost + over, total, savedBytes };
      [head, tail] = [[], []];
      [headSize, tailSize, lost] = [0, 0, 0];
      return part;
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}
