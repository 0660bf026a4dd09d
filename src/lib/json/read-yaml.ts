import { LineCounter, parseDocument } from "yaml";
import { messageOf, UserError } from "../text/user-error.ts";

const MAX_ALIASES = 100;
const MAX_NESTING = 64;
/** Anchors can make a small file large. */
const MAX_VALUES = 200_000;

export interface YamlDocument {
  readonly value: unknown;
  /** `file:line` of a value, or of the nearest one around it. */
  readonly at: (path: readonly PropertyKey[]) => string;
}

interface YamlFile {
  /** Its path, for messages. */
  readonly name: string;
  /** What it is: "the recipe". */
  readonly what: string;
  readonly maxBytes: number;
  /** What to do about a file that is larger. */
  readonly tooLarge: string;
}

/** Parses YAML from a file that anyone may have written: bounded in size, nesting and expansion, no key twice. */
export function readYaml(text: string, { name, what, maxBytes, tooLarge }: YamlFile): YamlDocument {
  const fail = (message: string, fix: string, where = name): UserError => new UserError(message, { where, fix });
  if (Buffer.byteLength(text) > maxBytes) throw fail(`${what} is larger than ${maxBytes} bytes`, tooLarge);
  if (nestsTooDeep(text)) throw fail(`${what} is nested more than ${MAX_NESTING} levels deep`, "flatten it");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true, logLevel: "silent" });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0]);
    const problem = broken.message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "") ?? "";
    throw fail(`${what} is invalid YAML: ${problem}`, "fix the YAML at that position", `${name}:${line}:${col}`);
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    checkSize(value);
    return { value, at: (path) => placeOf(path) };
  } catch (cause) {
    throw fail(`${what} cannot be used: ${messageOf(cause)}`, "use fewer anchors and aliases");
  }

  function placeOf(path: readonly PropertyKey[]): string {
    const node: unknown = document.getIn(path, true);
    const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
    const offset: unknown = Array.isArray(range) ? range[0] : undefined;
    if (typeof offset === "number") return `${name}:${lines.linePos(offset).line}`;
    return path.length > 0 ? placeOf(path.slice(0, -1)) : name;
  }
}

/** The parser is recursive, so the text is checked first: flow brackets, and block levels by their indentation. */
function nestsTooDeep(text: string): boolean {
  let brackets = 0;
  const indents: number[] = [];
  for (const line of text.split("\n")) {
    const content = line.trimStart();
    if (content === "" || content.startsWith("#")) continue;
    const indent = line.length - content.length;
    while ((indents.at(-1) ?? -1) >= indent) indents.pop();
    indents.push(indent);
    // `- - - x` opens a level with each dash.
    const dashes = /^(?:[-?:] +)*/.exec(content)?.[0].replaceAll(/ /g, "").length ?? 0;
    if (indents.length + dashes > MAX_NESTING) return true;
    for (const character of content) {
      if (character === "[" || character === "{") brackets++;
      else if ((character === "]" || character === "}") && brackets > 0) brackets--;
      // Text in block scalars may contain brackets that never close, so this limit is generous.
      if (brackets > MAX_NESTING * 16) return true;
    }
  }
  return false;
}

/** Also refuses values that are not JSON, and keys that are not text. */
function checkSize(value: unknown): void {
  let count = 0;
  const visit = (item: unknown, depth: number): void => {
    if (++count > MAX_VALUES) throw new Error(`it expands to more than ${MAX_VALUES} values`);
    if (depth > MAX_NESTING) throw new Error(`it is nested more than ${MAX_NESTING} levels deep`);
    if (typeof item === "bigint" || (typeof item === "number" && !Number.isFinite(item)))
      throw new Error("it contains a number that JSON cannot express");
    if (typeof item !== "object" || item === null) return;
    if (item instanceof Map || item instanceof Set || item instanceof Date || item instanceof Uint8Array)
      throw new Error("it contains a value that JSON cannot express");
    for (const child of Object.values(item)) visit(child, depth + 1);
  };
  visit(value, 0);
}
