import { stringEnd } from "../../lib/scan-json.ts";

/** JSON without the comments that some agents allow in their settings. Comments become blanks, so that lines stay. */
export function stripComments(text: string): string {
  let plain = "";
  for (let at = 0; at < text.length;) {
    const end = partEnd(text, at);
    const part = text.slice(at, end);
    plain += /^\/[/*]/.test(part) ? part.replaceAll(/[^\n]/g, " ") : part;
    at = end;
  }
  return plain;
}

/** Where the string, the comment or the other character that begins at `at` ends. */
function partEnd(text: string, at: number): number {
  if (text[at] === '"') return Math.min(stringEnd(text, at) + 1, text.length);
  const closing = text.startsWith("//", at) ? "\n" : text.startsWith("/*", at) ? "*/" : undefined;
  if (closing === undefined) return at + 1;
  const end = text.indexOf(closing, at + 2);
  if (end === -1) return text.length;
  return closing === "\n" ? end : end + closing.length;
}
