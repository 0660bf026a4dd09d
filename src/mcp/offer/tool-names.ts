import { sha256 } from "../../lib/sha256.ts";

const MAX_NAME = 64;

/** The part of a server's name in the names of its tools. It never contains `__`, which separates it from the tool. */
export function serverWord(name: string): string {
  const word = name.replace(/[^A-Za-z0-9-]+/g, "_").replace(/^[_-]+|_+$/g, "");
  return word === "" ? `server_${mark(name)}` : word.slice(0, 32).replace(/_+$/, "");
}

/** A tool's name for models: letters, digits, `_` and `-`, at most 64 of them, and unlike every other in `taken`. */
export function wireName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `mcp__${server}__${tool}`;
  const isFit = /^[\w-]+$/.test(plain) && plain.length <= MAX_NAME && tool !== "";
  if (isFit && !taken.has(plain)) return plain;
  const end = `_${mark(tool)}`;
  const word = plain.replace(/[^\w-]+/g, "_").slice(0, MAX_NAME - end.length);
  for (let count = 0; ; count++) {
    const name = count === 0 ? `${word}${end}` : `${word.slice(0, MAX_NAME - end.length - 4)}${end}_${count}`;
    if (!taken.has(name)) return name;
  }
}

/**
 * The name by which the guard judges a tool, so that patterns such as `mcp:SERVER/TOOL` see what the server calls it. A
 * name that no pattern could be written for is judged as models see it.
 */
export function judgedName(server: string, tool: string, wire: string): string {
  return /^[\w-](?:[\w-]|\.(?!\.)){0,127}$/.test(tool) ? `mcp__${server}__${tool}` : wire;
}

const mark = (text: string) => sha256(text).slice(0, 8);
