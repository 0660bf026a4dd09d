import { brotliDecompressSync } from "node:zlib";
import { PACKED } from "./packed-lexicon.ts";

/** The lines of words for each concept: a language code, a blank, the words. */
export function unpackLexicon(): ReadonlyMap<string, readonly string[]> {
  const text = brotliDecompressSync(Buffer.from(PACKED, "base64")).toString();
  return new Map(
    text.split("\n\n").map((block) => {
      const [concept = "", ...lines] = block.split("\n");
      return [concept, lines];
    }),
  );
}
