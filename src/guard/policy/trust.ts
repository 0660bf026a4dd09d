import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { sha256 } from "../../lib/sha256.ts";

/** A file of a workspace that the user has read and trusts, as it was then. */
export interface TrustedFile {
  readonly path: string;
  readonly hash: string;
  readonly time: string;
  /** The text that was trusted, so that a change can be shown. */
  readonly text: string;
}

const store = (folder: string) => join(folder, "trust.json");

/** What the user trusts. A store that cannot be read trusts nothing. */
export function readTrust(folder: string): readonly TrustedFile[] {
  if (!existsSync(store(folder))) return [];
  try {
    const value: unknown = parseJson(readFileSync(store(folder), "utf8"));
    return Array.isArray(value) ? value.flatMap((item) => readEntry(item) ?? []) : [];
  } catch {
    // Trusting nothing is the safe reading of a broken store.
    return [];
  }
}

function readEntry(value: unknown): TrustedFile | undefined {
  if (!isRecord(value)) return undefined;
  const { path, hash, time, text } = value;
  return typeof path === "string" && typeof hash === "string" && typeof time === "string" && typeof text === "string"
    ? { path, hash, time, text }
    : undefined;
}

/** True when exactly this text at this path is trusted. Any change drops the trust. */
export function isTrusted(files: readonly TrustedFile[], path: string, text: string): boolean {
  return files.some((file) => file.path === path && file.hash === sha256(text));
}

/** Trusts a file as it is shown. The hash is that of its text, unless one of its bytes is given. */
export function trust(folder: string, { hash, ...file }: Omit<TrustedFile, "hash"> & { readonly hash?: string }): void {
  const others = readTrust(folder).filter(({ path }) => path !== file.path);
  writeTrust(folder, [...others, { ...file, hash: hash ?? sha256(file.text) }]);
}

/** Takes trust back. True when there was some. */
export function revoke(folder: string, path: string): boolean {
  const files = readTrust(folder);
  const kept = files.filter((file) => file.path !== path);
  if (kept.length === files.length) return false;
  writeTrust(folder, kept);
  return true;
}

function writeTrust(folder: string, files: readonly TrustedFile[]): void {
  makeFolder(dirname(store(folder)));
  const temporary = `${store(folder)}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(files, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, store(folder));
}
