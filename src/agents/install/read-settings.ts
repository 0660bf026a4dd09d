import { homedir } from "node:os";
import { isRecord } from "../../lib/json/json-value.ts";
import { jsonIfValid } from "../../lib/json/parse-json.ts";
import { MAX_SETTINGS, readBounded } from "../../lib/files/read-file.ts";

type Settings = Readonly<Record<string, unknown>>;

const TWO_BYTES = Buffer.from([0xff, 0xfe]);

/** The JSON object in a settings file, read as Claude Code reads it; undefined for whatever it would ignore. */
export function readSettings(path: string, most = MAX_SETTINGS): Settings | undefined {
  try {
    return parseSettings(settingsText(readBounded(path, most).bytes));
  } catch {
    return undefined;
  }
}

export function parseSettings(text: string): Settings | undefined {
  const value = jsonIfValid(text);
  return isRecord(value) ? value : undefined;
}

/** Some editors write a byte order mark, some write UTF-16. */
export function settingsText(bytes: Buffer): string {
  const encoding = bytes.subarray(0, 2).equals(TWO_BYTES) ? "utf16le" : "utf8";
  return bytes.toString(encoding).replace(/^\uFEFF/, "");
}

/** The home folder that an agent with this environment will use. */
export const homeOf = (env: NodeJS.ProcessEnv): string => env["HOME"] ?? homedir();
