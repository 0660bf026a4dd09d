import { join } from "node:path";

/**
 * For esbuild's `define` and `inject`: in the release every call of JSON.parse is ours, including those in packages.
 */
export const JSON_PARSE = { "JSON.parse": "jsonParseInRelease" };
export const JSON_READER = join(import.meta.dirname, "json-in-release.ts");
