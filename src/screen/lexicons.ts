import type { Lexicon } from "./concept.ts";
import { CONSENT } from "./lexicon-consent.ts";
import { CONTROLS } from "./lexicon-controls.ts";
import { DEEDS } from "./lexicon-deeds.ts";
import { ORDERS } from "./lexicon-orders.ts";
import { PEOPLE } from "./lexicon-people.ts";
import { TRICKS } from "./lexicon-tricks.ts";

/**
 * All languages at once: hostile texts mix them, and a text does not declare its language. A word that an earlier
 * language already has for the same concept is not repeated.
 */
export const LEXICON: Lexicon = { ...ORDERS, ...PEOPLE, ...CONSENT, ...DEEDS, ...CONTROLS, ...TRICKS };
