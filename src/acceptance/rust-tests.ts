import type { BaseAndPresent } from "./base-and-present.ts";

/** The `#[cfg(test)]` items of a Rust file. Rust keeps unit tests beside the code they test. */
export function rustTests(text: string): string {
  return blocks(text)
    .map(({ from, to }) => text.slice(from, to))
    .join("\n");
}

/** The present code with the tests of the base. */
export function withRustTests({ base, present }: BaseAndPresent): string {
  let rest = present;
  for (const { from, to } of blocks(present).toReversed()) rest = rest.slice(0, from) + rest.slice(to);
  return `${rest}\n${rustTests(base)}\n`;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const START = /#\[cfg\((?:all\()?test\b[^\]]*\]/g;

function blocks(text: string): readonly Span[] {
  const found: Span[] = [];
  for (const { index } of text.matchAll(START)) {
    const last = found.at(-1);
    if (last !== undefined && index < last.to) continue;
    found.push({ from: index, to: itemEnd(text, index) });
  }
  return found;
}

/** The end of the item: its closing brace, or a semicolon before any brace. Braces in strings and comments are skipped. */
function itemEnd(text: string, from: number): number {
  const token = /"(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{};]/g;
  token.lastIndex = text.indexOf("]", from) + 1;
  let depth = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === "{") depth++;
    if (match[0] === "}" && --depth <= 0) return token.lastIndex;
    if (match[0] === ";" && depth === 0) return token.lastIndex;
  }
  return text.length;
}
