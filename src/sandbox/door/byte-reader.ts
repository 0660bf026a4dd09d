import type { Socket } from "node:net";

/** Reads exact numbers of bytes from a socket that nobody else reads. */
export interface ByteReader extends Disposable {
  /** Throws if the client leaves before it has sent so many. */
  readonly take: (size: number) => Promise<Buffer>;
}

/** Disposing of it leaves the rest of the bytes to whoever reads the socket next. */
export function byteReader(client: Socket): ByteReader {
  let wake = () => {};
  // One listener for all reads: a new one is called at once while bytes are waiting, however few, and would never rest.
  const onMore = () => wake();
  const events = ["readable", "end", "close"] as const;
  for (const event of events) client.on(event, onMore);
  return {
    async take(size) {
      if (size === 0) return Buffer.alloc(0);
      for (;;) {
        const chunk: unknown = client.read(size);
        if (chunk instanceof Buffer && chunk.length === size) return chunk;
        if (chunk !== null || client.readableEnded || client.destroyed) throw new Error("the client left");
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    [Symbol.dispose]() {
      for (const event of events) client.off(event, onMore);
    },
  };
}
