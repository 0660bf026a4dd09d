import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../lib/error-code.ts";
import { isInside } from "../lib/inside.ts";
import { jsonDepth } from "../lib/json-depth.ts";
import { parseJson } from "../lib/parse-json.ts";
import { readBounded } from "../lib/read-bounded.ts";

/** The file in which a launch records its agent, relative to the top of the repository. */
export const CONTEXT_FILE = join(".claude", "runtime", "launcher_context.json");

const MAX_BYTES = 65_536;
const MAX_DEPTH = 8;
const OLDEST_MS = 24 * 60 * 60 * 1000;
const FUTURE_MS = 5 * 60 * 1000;

type Read = { readonly launcher: string } | { readonly agent?: undefined; readonly reason: string };

/** The launcher named in the context file of `folder`, or why the file is treated as absent. */
export function readLauncherContext(folder: string, now: Date): Read {
  const path = join(folder, CONTEXT_FILE);
  try {
    const real = realpathSync(path);
    const escapes = !isInside(real, realpathSync(dirname(path))) || !isInside(real, realpathSync(folder));
    if (escapes) return { reason: "it is a link out of its folder" };
    const file = readBounded(real, MAX_BYTES);
    return parseContext(file.bytes, file.modified, now);
  } catch (error) {
    return { reason: whyUnreadable(error) };
  }
}

function parseContext(bytes: Buffer, modified: Date, now: Date): Read {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (jsonDepth(text) > MAX_DEPTH) return { reason: `it is nested more than ${MAX_DEPTH} levels deep` };
  const value: unknown = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { reason: "it is not a JSON object" };

  const launcher = "launcher" in value ? value.launcher : undefined;
  if (typeof launcher !== "string") return { reason: "it has no launcher" };
  const timestamp = ("timestamp" in value ? rfc3339(value.timestamp) : undefined) ?? modified;
  const age = now.getTime() - timestamp.getTime();
  if (age > OLDEST_MS) return { reason: "it is older than 24 hours" };
  if (age < -FUTURE_MS) return { reason: "it is dated in the future" };
  return { launcher };
}

function rfc3339(value: unknown): Date | undefined {
  if (typeof value !== "string" || !RFC_3339.test(value)) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Our own wording, because a parser's message would quote the file. */
function whyUnreadable(error: unknown): string {
  const code = errorCode(error);
  if (error instanceof SyntaxError) return "it is not valid JSON";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "it is not valid UTF-8";
  if (code !== undefined) return `it cannot be read (${code})`;
  return error instanceof Error ? `it is ${error.message}` : "it cannot be read";
}
