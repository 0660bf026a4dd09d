import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { randomId } from "../../lib/files/random-id.ts";
import { makeKeyFile, readSignedLine, signatureOf, signedLine } from "../../lib/files/signed-chain.ts";
import { newerFormat, withUpdate } from "../../lib/json/file-format.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { isMissing } from "../../lib/text/user-error.ts";

/** The end of a segment, signed and stored in another file. A segment shorter than its anchor was truncated. */
export interface Anchor {
  readonly segment: string;
  readonly hash: string;
  readonly count: number;
  readonly time: string;
}

/** The position of an anchor among all anchors of this home. */
export interface AnchorPlace {
  /** The number of this anchor, from 1. */
  readonly sequence: number;
  /**
   * The hash of the previous line. For the first anchor, the hash of everything before it. Null if the signed head was
   * lost.
   */
  readonly previous: string | null;
}

/** A line with a valid signature. Older versions of signalbox wrote anchors without a place. */
interface SignedAnchor {
  readonly anchor: Anchor;
  readonly place: AnchorPlace | undefined;
}

/** The text of an anchor's line, without the newline. */
export function writeAnchorLine(anchor: Anchor, place: AnchorPlace, key: KeyObject): string {
  const body = { version: 1, ...anchor, ...place };
  return JSON.stringify({ ...body, signature: signatureOf("", body, key) });
}

/** Parses an anchor line, or returns undefined if the key did not sign it. */
export function readAnchorLine(line: string, key: KeyObject): SignedAnchor | undefined {
  const { segment, hash, count, time, sequence, previous } = readSignedLine("", line, key) ?? {};
  if (typeof segment !== "string" || typeof hash !== "string") return undefined;
  if (typeof count !== "number" || typeof time !== "string") return undefined;
  const anchor = { segment, hash, count, time };
  if (sequence === undefined) return { anchor, place: undefined };
  if (typeof sequence !== "number" || (typeof previous !== "string" && previous !== null)) return undefined;
  return { anchor, place: { sequence, previous } };
}

/** The end of the anchor list, in a separate signed file. A list shorter than its head was truncated. */
export interface AnchorHead {
  /** The number of the newest anchor. */
  readonly count: number;
  /** The hash of its line. Before the first anchor, the hash of the list's whole content. */
  readonly hash: string;
  /** The size of the list. */
  readonly bytes: number;
}

const HEAD = "signalbox audit head ";

/** The text of the head's file. */
export const writeAnchorHead = ({ count, hash, bytes }: AnchorHead, key: KeyObject): string =>
  `${signedLine(HEAD, { version: 1, count, hash, bytes }, key)}\n`;

/** Parses a head, or returns undefined if the key did not sign it. */
export function readAnchorHead(text: string, key: KeyObject): AnchorHead | undefined {
  // Early releases wrote no version.
  const { version = 1, count, hash, bytes } = readSignedLine(HEAD, text, key) ?? {};
  if (version !== 1 || typeof count !== "number" || typeof hash !== "string") return undefined;
  return typeof bytes === "number" ? { count, hash, bytes } : undefined;
}

const keyFile = (folder: string) => join(folder, "keys", "audit.pem");

/** The key that signs anchors: undefined if there is none, "broken" if its file contains no key. Never creates one. */
export function readAnchorKey(folder: string): KeyObject | "broken" | undefined {
  return readKey(keyFile(folder));
}

/**
 * The key that signs anchors, created on first use. A broken key file is preserved next to the new one. `prepare` gets
 * a new key before any other process can see it.
 */
export function anchorKey(folder: string, prepare: (made: KeyObject) => void): KeyObject {
  const file = keyFile(folder);
  const found = readKey(file);
  if (typeof found === "object") return found;
  if (found === "broken") setAside(file);
  makeKeyFile(file, prepare);
  return createPrivateKey(readFileSync(file));
}

function readKey(file: string): KeyObject | "broken" | undefined {
  // An unreadable key is not a broken one. This throws, so it is not replaced.
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === "ed25519" ? key : "broken";
  } catch {
    return "broken";
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function setAside(file: string): void {
  const aside = `${file}.${randomId().slice(0, 8)}.broken`;
  renameSync(file, aside);
  // Another process may have fixed it in the meantime.
  if (typeof readKey(aside) === "object") renameSync(aside, file);
}

/** Where the audit log's anchors are stored under the signalbox home, apart from its segments. */
export const anchorPlaces = (home: string) => ({
  /** One signed anchor per line. */
  list: join(home, "heads", ANCHOR_LIST),
  head: join(home, "heads", ANCHOR_HEAD),
  lock: join(home, "locks", "audit.sqlite"),
  /** Which segments were removed by `signalbox prune`. */
  pruned: join(home, "heads", PRUNED_SEGMENTS),
});

export const ANCHOR_LIST = "audit.jsonl";

export const ANCHOR_HEAD = "audit.json";

export const PRUNED_SEGMENTS = "audit.pruned.jsonl";

/** Says that a newer signalbox wrote this line of the log, its anchors or their head; undefined otherwise. */
export function newerText(line: string): string | undefined {
  try {
    const newer = newerFormat(parseJson(line));
    return newer === undefined ? undefined : withUpdate(newer);
  } catch {
    // Not JSON, so nobody wrote it.
    return undefined;
  }
}
