import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { CONCEPTS } from "../src/guard/screen/concept.ts";
import { LEXICON } from "../src/guard/screen/lexicon.ts";

/**
 * Packs the words of all languages for the hook's bundle: one block per concept, compressed, in base64. `node
 * scripts/pack-lexicon.ts` writes the file that is loaded; a test fails if it is out of date.
 */
export function packLexicon(): string {
  const blocks = CONCEPTS.flatMap((concept) => {
    const words = LEXICON[concept]?.trim();
    return words === undefined ? [] : [`${concept}\n${words}`];
  });
  return brotliCompressSync(blocks.join("\n\n")).toString("base64");
}

if (import.meta.main) {
  const source = `/** Written by scripts/pack-lexicon.ts from the lexicons beside it. */\nexport const PACKED =\n  "${packLexicon()}";\n`;
  writeFileSync(join(import.meta.dirname, "../src/guard/screen/packed-lexicon.ts"), source);
}
