import { generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { linkSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { canonicalJson, isRecord } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import { errorCode } from "../text/user-error.ts";
import { atomicWrite } from "./atomic-write.ts";
import { makeFolder } from "./make-folder.ts";
import { randomId } from "./random-id.ts";

// What the signed chains under our home have in common: the audit log's anchors, the seals, and the records of prunes.

/** The signature of a body. `purpose` is signed too, so that it is not accepted as one of another kind. */
export const signatureOf = (purpose: string, body: object, key: KeyObject): string =>
  sign(null, Buffer.from(`${purpose}${canonicalJson(body)}`), key).toString("base64");

/** Whether a key signed this body, given the private key or its public half. */
export function isSigned(purpose: string, body: object, signature: unknown, key: KeyObject): boolean {
  const signed = Buffer.from(typeof signature === "string" ? signature : "", "base64");
  return verify(null, Buffer.from(`${purpose}${canonicalJson(body)}`), key, signed);
}

/** A body with its signature in it, as one line without the line feed. */
export const signedLine = (purpose: string, body: object, key: KeyObject): string =>
  canonicalJson({ ...body, signature: signatureOf(purpose, body, key) });

/** The body of a line, or undefined if the key did not sign it. */
export function readSignedLine(
  purpose: string,
  line: string,
  key: KeyObject,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parseJson(line);
    if (!isRecord(value)) return undefined;
    const { signature, ...body } = value;
    return isSigned(purpose, body, signature, key) ? body : undefined;
  } catch {
    // Not JSON. The caller reports the line.
    return undefined;
  }
}

/**
 * Makes an Ed25519 key, unless the file is there by then: of two first runs at once, both end up with the same key.
 * `prepare` gets a new key before any other process can see it.
 */
export function makeKeyFile(file: string, prepare: (made: KeyObject) => void = () => {}): void {
  makeFolder(dirname(file));
  const { privateKey } = generateKeyPairSync("ed25519");
  const temporary = `${file}.${randomId()}.new`;
  try {
    atomicWrite(temporary, privateKey.export({ type: "pkcs8", format: "pem" }));
    prepare(privateKey);
    // Linking fails if the name is taken.
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Says which numbers of a chain are missing: `seals 3 to 5 are missing`. */
export const missingNumbers = (what: string, first: number, last: number) =>
  `${first === last ? `${what} ${first} is` : `${what}s ${first} to ${last} are`} missing`;
