import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Receipt } from "../../contract/receipt.ts";
import {
  COMMIT_SUBJECT,
  PAYLOAD_TYPE,
  PREDICATE_TYPE,
  Seal,
  type SealFacts,
  Statement,
  STATEMENT_TYPE,
  type Tree,
} from "../../contract/seal.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { readBoundedText } from "../../lib/files/read-file.ts";
import { makeKeyFile } from "../../lib/files/signed-chain.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { newerFormat, withUpdate } from "../../lib/json/file-format.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { sha256 } from "../../lib/json/sha256.ts";

interface SealMaterial {
  readonly receipt: Receipt;
  /** The receipt's canonical hash. */
  readonly hash: string;
  readonly facts: SealFacts;
  /** The commit that the work ended on, if it made one. */
  readonly commit?: string | undefined;
  /** Its position in the chain. */
  readonly place: { readonly sequence: number; readonly previous: string | null; readonly sealedAt: string };
}

/** Seals a receipt: signs a statement about its hash, the final tree, and the artifacts. Returns one line of text. */
export function sealReceipt({ receipt, hash, facts, commit, place }: SealMaterial, key: SealKey): string {
  const statement: Statement = {
    _type: STATEMENT_TYPE,
    subject: [
      { name: receiptSubject(receipt.meta.run_id), digest: { sha256: hash } },
      ...(facts.tree === null ? [] : [{ name: "tree", digest: treeDigest(facts.tree) }]),
      ...(commit === undefined ? [] : [{ name: COMMIT_SUBJECT, digest: { gitCommit: commit } }]),
      ...facts.artifacts.map(({ path, sha256 }) => ({ name: `artifact/${path}`, digest: { sha256 } })),
    ],
    predicateType: PREDICATE_TYPE,
    predicate: {
      ...facts,
      run_id: receipt.meta.run_id,
      work_order_id: receipt.meta.work_order_id,
      backend: receipt.backend.id,
      outcome: receipt.outcome,
      started_at: receipt.meta.started_at,
      finished_at: receipt.meta.finished_at,
      sequence: place.sequence,
      previous: place.previous,
      sealed_at: place.sealedAt,
    },
  };
  return signStatement(statement, key);
}

/** The receipt hash that a seal covers. */
export function sealedHash({ subject, predicate }: Statement): string | undefined {
  return subject.find(({ name }) => name === receiptSubject(predicate.run_id))?.digest["sha256"];
}

const receiptSubject = (run: string) => `receipt/${run}`;

const treeDigest = (tree: Tree): Record<string, string> => (tree.length === 40 ? { gitTree: tree } : { sha256: tree });

const signStatement = (statement: Statement, key: SealKey): string => signPayload(Statement.parse(statement), key);

/** Signs an in-toto statement. Returns the seal as one line of text, without a line feed. */
export function signPayload(statement: object, key: SealKey): string {
  const payload = Buffer.from(canonicalJson(statement));
  const seal: Seal = {
    payload: payload.toString("base64"),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ keyid: key.id, sig: sign(null, preAuthentication(payload), key.privateKey).toString("base64") }],
  };
  return canonicalJson(seal);
}

type OpenedSeal =
  | { readonly good: true; readonly statement: Statement }
  | { readonly good: false; readonly because: string };

/** Verifies a seal bit by bit. A line with the same meaning but different bytes is refused too. */
export function openSeal(line: string, key: VerifyKey): OpenedSeal {
  const seal = Seal.safeParse(parsed(line));
  if (!seal.success) return { good: false, because: "it is not a seal" };
  const [signature] = seal.data.signatures;
  const payload = Buffer.from(seal.data.payload, "base64");
  const signed = Buffer.from(signature.sig, "base64");
  const written = canonicalJson({
    ...seal.data,
    payload: payload.toString("base64"),
    signatures: [{ ...signature, sig: signed.toString("base64") }],
  });
  if (written !== line) return { good: false, because: "its format was changed" };
  if (signature.keyid !== key.id) return { good: false, because: "it names another key" };
  if (!verify(null, preAuthentication(payload), key.publicKey, signed))
    return { good: false, because: "its signature does not match" };
  const content = parsed(payload.toString("utf8"));
  const statement = Statement.safeParse(content);
  if (statement.success) return { good: true, statement: statement.data };
  const newer = newerFormat({ version: sealVersion(content) });
  return {
    good: false,
    because: newer === undefined ? "it is signed, but its content is unknown" : withUpdate(newer),
  };
}

/** The number at the end of the predicate's type. */
function sealVersion(content: unknown): number | undefined {
  const type = isRecord(content) ? content["predicateType"] : undefined;
  const [, version] = (typeof type === "string" ? /^urn:signalbox:seal:v(\d{1,9})$/.exec(type) : undefined) ?? [];
  return version === undefined ? undefined : Number(version);
}

/** What DSSE signs: the type and the payload, each with its length, so that their boundary is unambiguous. */
function preAuthentication(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // Not JSON, so not a seal. The caller reports it.
    return undefined;
  }
}

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
  makeKeyFile(file);
  const key = readSealKey(home);
  if (key === undefined) throw new Error(`the key vanished from ${file}`);
  atomicWrite(publicFile(home), publicPem(key), 0o644);
  return key;
}

function verifyKey(publicKey: KeyObject): VerifyKey {
  return { id: sha256(publicKey.export({ type: "spki", format: "der" })), publicKey };
}

function parseKey(file: string, parse: (text: string) => KeyObject): KeyObject {
  try {
    const key = parse(readBoundedText(file, MAX_KEY_BYTES));
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
