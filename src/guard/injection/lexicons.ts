import type { Lexicon } from "./concept.ts";
import { CONSENT } from "./lexicon-consent.ts";
import { CONTROLS } from "./lexicon-controls.ts";
import { DEEDS } from "./lexicon-deeds.ts";
import { ORDERS } from "./lexicon-orders.ts";
import { PEOPLE } from "./lexicon-people.ts";
import { TRICKS } from "./lexicon-tricks.ts";

/**
 * Every language at once: hostile texts mix them, and a text does not say which it is in. A word that an earlier
 * language has for the same concept is not repeated in a later one.
 */
export const LEXICON: Lexicon = { ...ORDERS, ...PEOPLE, ...CONSENT, ...DEEDS, ...CONTROLS, ...TRICKS, prize: prizes() };

/** Secrets that are nothing else. A token can be a word of a grammar, a workspace is where everybody works. */
function prizes(): string {
  const weak = new Set(
    "token,tokens,secret,secrets,workspace,contacts,cookies,vault,config.json,context window,source tree,the keys,the environment/conversation,token*,chave,clave*,key".split(
      ",",
    ),
  );
  const lines = (DEEDS.secret ?? "").trim().split("\n");
  return lines
    .map(
      (line) =>
        line.slice(0, 3) +
        line
          .slice(3)
          .split(",")
          .filter((word) => !weak.has(word))
          .join(","),
    )
    .join("\n");
}
