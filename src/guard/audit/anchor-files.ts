import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { newerFormat, withUpdate } from "../../lib/json/file-format.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { errorCode, isMissing } from "../../lib/text/user-error.ts";

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
  const signature = sign(null, Buffer.from(canonicalJson(body)), key).toString("base64");
  return JSON.stringify({ ...body, signature });
}

/** Parses an anchor line, or returns undefined if the key did not sign it. */
export function readAnchorLine(line: string, publicKey: KeyObject): SignedAnchor | undefined {
  try {
    const value: unknown = parseJson(line);
    if (!isRecord(value)) return undefined;
    const { signature, ...body } = value;
    const signed = Buffer.from(typeof signature === "string" ? signature : "", "base64");
    if (!verify(null, Buffer.from(canonicalJson(body)), publicKey, signed)) return undefined;
    const { segment, hash, count, time, sequence, previous } = body;
    if (typeof segment !== "string" || typeof hash !== "string") return undefined;
    if (typeof count !== "number" || typeof time !== "string") return undefined;
    const anchor = { segment, hash, count, time };
    if (sequence === undefined) return { anchor, place: undefined };
    if (typeof sequence !== "number" || (typeof previous !== "string" && previous !== null)) return undefined;
    return { anchor, place: { sequence, previous } };
  } catch {
    // The caller reports the line.
    return undefined;
  }
}

/** The end of the anchor list, in a separate signed file. A list shorter than its head was truncated. */
export interface AnchorHead {
  /** The number of the newest anchor. */
  readonly count: number;
  /** The hash of its line. Before the first anchor, the hash of the list's whole content. */
  readonly hash: string;
  /** The size of the list. */
  readonly bytes: number;
  /** Missing in heads of early releases. */
  readonly version?: number;
}

/** The text of the head's file. */
export function writeAnchorHead({ count, hash, bytes }: AnchorHead, key: KeyObject): string {
  const head: AnchorHead = { version: 1, count, hash, bytes };
  return `${canonicalJson({ ...head, signature: sign(null, signedBytes(head), key).toString("base64") })}\n`;
}

/** Parses a head, or returns undefined if the key did not sign it. */
export function readAnchorHead(text: string, key: KeyObject): AnchorHead | undefined {
  try {
    const value: unknown = parseJson(text);
    if (!isRecord(value)) return undefined;
    const { version, count, hash, bytes, signature } = value;
    if (typeof count !== "number" || typeof hash !== "string" || typeof bytes !== "number") return undefined;
    // Early releases wrote no version.
    const head = version === 1 ? { version, count, hash, bytes } : { count, hash, bytes };
    const publicKey = key.type === "private" ? createPublicKey(key) : key;
    const signed = Buffer.from(typeof signature === "string" ? signature : "", "base64");
    return verify(null, signedBytes(head), publicKey, signed) ? head : undefined;
  } catch {
    // The caller reports the file.
    return undefined;
  }
}

// The prefix prevents signatures of other kinds from being accepted here.
const signedBytes = (head: AnchorHead) => Buffer.from(`signalbox audit head ${canonicalJson(head)}`);

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
  makeFolder(dirname(file));
  const made = generateKeyPairSync("ed25519").privateKey;
  const temporary = `${file}.${randomId()}.new`;
  try {
    atomicWrite(temporary, made.export({ type: "pkcs8", format: "pem" }));
    prepare(made);
    // Linking fails if the name is taken, so two concurrent first runs end up with the same key.
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
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
