import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newerFormat, refuseNewer } from "../../lib/json/file-format.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { textIfThere } from "../../lib/files/read-file.ts";
import { sha256 } from "../../lib/json/sha256.ts";

/** A workspace file that the user reviewed and trusts in that version. */
export interface TrustedFile {
  readonly path: string;
  readonly hash: string;
  readonly time: string;
  /** The trusted text, to show a diff after a change. */
  readonly text: string;
}

const store = (folder: string) => join(folder, "trust.json");

/** The files the user trusts. If the store cannot be read, none are trusted. */
export function readTrust(folder: string): readonly TrustedFile[] {
  if (!existsSync(store(folder))) return [];
  try {
    const value: unknown = parseJson(readFileSync(store(folder), "utf8"));
    // Early releases wrote only the list.
    const files = isRecord(value) && newerFormat(value) === undefined ? value["files"] : value;
    return Array.isArray(files) ? files.flatMap((item) => readEntry(item) ?? []) : [];
  } catch {
    // Fail closed: a broken store trusts nothing.
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

/** True if exactly this text at this path is trusted. Any change revokes the trust. */
export function isTrusted(files: readonly TrustedFile[], path: string, text: string): boolean {
  return files.some((file) => file.path === path && file.hash === sha256(text));
}

/** Trusts a file in the given version. The hash is computed from its text unless a hash of its bytes is given. */
export function trust(folder: string, { hash, ...file }: Omit<TrustedFile, "hash"> & { readonly hash?: string }): void {
  const others = readTrust(folder).filter(({ path }) => path !== file.path);
  writeTrust(folder, [...others, { ...file, hash: hash ?? sha256(file.text) }]);
}

/** Revokes trust. Returns true if the file was trusted. */
export function revoke(folder: string, path: string): boolean {
  const files = readTrust(folder);
  const remaining = files.filter((file) => file.path !== path);
  if (remaining.length === files.length) return false;
  writeTrust(folder, remaining);
  return true;
}

/** Throws if a newer signalbox wrote the store: its trust is neither used nor lost. */
export function refuseNewerTrust(folder: string): void {
  const text = textIfThere(store(folder)) ?? "";
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // Broken: it trusts nothing, and may be replaced.
    return;
  }
  refuseNewer(value, store(folder));
}

function writeTrust(folder: string, files: readonly TrustedFile[]): void {
  refuseNewerTrust(folder);
  makeFolder(dirname(store(folder)));
  const temporary = `${store(folder)}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify({ version: 1, files }, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, store(folder));
}
