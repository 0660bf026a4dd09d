import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { linkSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { errorCode } from "../../lib/error-code.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { randomId } from "../../lib/random-id.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { UserError } from "../../lib/user-error.ts";
import { sha256Hex } from "./canonical-receipt.ts";

/** A public key for verifying seals. `id` is the SHA-256 of its SubjectPublicKeyInfo. */
export interface VerifyKey {
  readonly id: string;
  readonly publicKey: KeyObject;
}

export interface SealKey extends VerifyKey {
  readonly privateKey: KeyObject;
}

const MAX_KEY_BYTES = 65_536;
const privateFile = (home: string) => join(home, "keys", "seal.pem");
const publicFile = (home: string) => join(home, "keys", "seal.pub.pem");

/**
 * This user's key, created on first use. The private key has mode 0600; the public key is stored next to it for
 * sharing.
 */
export function sealKey(home: string): SealKey {
  return readSealKey(home) ?? makeSealKey(home);
}

/** This user's key, or undefined if none exists yet. Refuses a key that others can read. */
export function readSealKey(home: string): SealKey | undefined {
  const file = privateFile(home);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if ((stat.mode & 0o077) !== 0)
    throw new UserError("the signing key is readable by others", { where: file, fix: `chmod 600 ${file}` });
  const privateKey = parseKey(file, (text) => createPrivateKey(text));
  return { ...verifyKey(createPublicKey(privateKey)), privateKey };
}

/** Reads a public key from a PEM file, such as the output of `signalbox key show` on another machine. */
export function readVerifyKey(file: string): VerifyKey {
  return verifyKey(parseKey(file, (text) => createPublicKey(text)));
}

export function publicPem(key: VerifyKey): string {
  return key.publicKey.export({ type: "spki", format: "pem" }).toString();
}

function makeSealKey(home: string): SealKey {
  const file = privateFile(home);
  const temporary = `${file}.${randomId()}.tmp`;
  makeFolder(dirname(file));
  const { privateKey } = generateKeyPairSync("ed25519");
  try {
    writeFileSync(temporary, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
    // `link` fails if the name is taken, so two concurrent first runs end up with the same key.
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  const key = readSealKey(home);
  if (key === undefined) throw new Error(`the key vanished from ${file}`);
  atomicWrite(publicFile(home), publicPem(key), 0o644);
  return key;
}

function verifyKey(publicKey: KeyObject): VerifyKey {
  return { id: sha256Hex(publicKey.export({ type: "spki", format: "der" })), publicKey };
}

function parseKey(file: string, parse: (text: string) => KeyObject): KeyObject {
  try {
    const key = parse(readBounded(file, MAX_KEY_BYTES).bytes.toString("utf8"));
    if (key.asymmetricKeyType === "ed25519") return key;
    throw new Error(`a key of type ${key.asymmetricKeyType}`);
  } catch (cause) {
    throw new UserError("not a readable Ed25519 key", {
      where: file,
      fix: "pass the PEM file that `signalbox key show` prints; restore your own key from a backup if it is damaged",
      cause,
    });
  }
}
