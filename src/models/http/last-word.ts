/** With these the providers say that a stream is over. At the start of a line: no text of a model can hold that. */
const LAST_WORDS = /\n(?:data: ?\[DONE\]|event: ?(?:message_stop|response\.(?:completed|incomplete|failed)))/;

/** As long as the longest of them. */
const KEPT = 32;

/** Watches the pieces of a stream for the provider's last word, which may stand across two of them. */
export function lastWordWatch(): (piece: Uint8Array) => boolean {
  let before = "\n";
  return (piece) => {
    const seen = before + Buffer.from(piece).toString("latin1");
    before = seen.slice(-KEPT);
    return LAST_WORDS.test(seen);
  };
}
