import { eachMatch } from "./each-match.ts";
import type { Stretch } from "./normalise.ts";

/**
 * Stretches of a folded page that a browser does not show, in order: comments, attributes, elements hidden by style.
 */
export function findHidden(text: string): Stretch[] {
  const hidden: Stretch[] = [];
  if (!text.includes("<") && !text.includes("[") && !text.includes(" text)")) return hidden;
  addComments(text, hidden);
  addReferences(text, hidden);
  addTags(text, hidden);
  return hidden.sort((a, b) => a.start - b.start).slice(0, MAX_STRETCHES);
}

const MAX_STRETCHES = 2000;

function addComments(text: string, hidden: Stretch[]): void {
  for (let open = text.indexOf("<!--"); open !== -1 && hidden.length < MAX_STRETCHES;) {
    const close = text.indexOf("-->", open + 4);
    const end = close === -1 ? text.length : close;
    hidden.push({ start: open + 4, end });
    open = close === -1 ? -1 : text.indexOf("<!--", end);
  }
}

// Markdown that renders to nothing: `[//]: # (text)`, `[comment]: <> (text)`, link titles, and footnotes.
const REFERENCE =
  /(?<![^\n])\[(?:\/\/|comment|\^[\w-]{1,20}|_[\w-]{0,20})\]: ?(?:# |<> )?[^\n]{1,2000}|\]\([^\s()]{1,500} "([^"\n]{1,1000})"\)|\([a-z ]{0,20}(?:white|hidden|invisible) text\)[^\n]{1,1000}/g;

function addReferences(text: string, hidden: Stretch[]): void {
  for (const match of eachMatch(text, REFERENCE)) {
    hidden.push({ start: match.index, end: match.index + match[0].length });
    if (hidden.length >= MAX_STRETCHES) return;
  }
}

const TAG = /<([a-z][a-z0-9]{0,15})\b([^<>]{0,2000})>?/g;
const READABLE_ATTRIBUTE =
  /\b(?:alt|title|content|value|placeholder|summary|label|aria-[a-z]{1,20}|data-[a-z-]{1,30})\s?=\s?("[^"]{8,}|'[^']{8,})/g;
const UNSEEN =
  /display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?(?:0|1px|1pt)|opacity\s?:\s?0(?!\.[1-9])|(?:left|top|text-indent)\s?:\s?-\d{3}|(?:height|width)\s?:\s?0(?!\.)|color\s?:\s?(?:transparent|white|#fff)|clip(?:-path)?\s?:\s?(?:rect|inset|circle|polygon)|z-index\s?:\s?-|scale\(0\)|mso-hide|line-height\s?:\s?0(?!\.)|color\s?=\s?"?(?:white|#fff)|\shidden(?![\w-]|="false)|class="[^"]{0,60}(?:hidden|sr-only|invisible)/;

function addTags(text: string, hidden: Stretch[]): void {
  let unclosed = "";
  for (const match of eachMatch(text, TAG)) {
    if (hidden.length >= MAX_STRETCHES) return;
    const [whole, name = "", attributes = ""] = match;
    const inside = match.index + 1 + name.length;
    for (const attribute of eachMatch(attributes, READABLE_ATTRIBUTE)) {
      const from = inside + attribute.index + attribute[0].length - (attribute[1] ?? "").length + 1;
      hidden.push({ start: from, end: inside + attribute.index + attribute[0].length });
    }
    if (name === unclosed || name === "input" || name === "img" || !UNSEEN.test(attributes)) continue;
    const start = match.index + whole.length;
    const close = text.indexOf(`</${name}`, start);
    // Searching for the same missing end tag repeatedly would be quadratic.
    if (close === -1) unclosed = name;
    hidden.push({ start, end: close === -1 ? text.length : close });
  }
}
