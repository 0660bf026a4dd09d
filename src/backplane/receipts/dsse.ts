import { sign, verify } from "node:crypto";
import { PAYLOAD_TYPE, Seal, Statement } from "../../contract/seal.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { parseExactJson } from "../../lib/exact-json.ts";
import type { SealKey, VerifyKey } from "./seal-key.ts";

/** Signs a statement: the seal as one line of text, without its line feed. */
export function signStatement(statement: Statement, key: SealKey): string {
  const payload = Buffer.from(canonicalJson(Statement.parse(statement)));
  const seal: Seal = {
    payload: payload.toString("base64"),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ keyid: key.id, sig: sign(null, preAuthentication(payload), key.privateKey).toString("base64") }],
  };
  return canonicalJson(seal);
}

export type OpenedSeal =
  | { readonly good: true; readonly statement: Statement }
  | { readonly good: false; readonly because: string };

/** Checks a seal to the last bit: a line that means the same and is written otherwise is refused too. */
export function openSeal(line: string, key: VerifyKey): OpenedSeal {
  const seal = Seal.safeParse(parsed(line));
  if (!seal.success) return { good: false, because: "it is no seal any more" };
  const [signature] = seal.data.signatures;
  const payload = Buffer.from(seal.data.payload, "base64");
  const signed = Buffer.from(signature.sig, "base64");
  const written = canonicalJson({
    ...seal.data,
    payload: payload.toString("base64"),
    signatures: [{ ...signature, sig: signed.toString("base64") }],
  });
  if (written !== line) return { good: false, because: "it is written in another form than it was made" };
  if (signature.keyid !== key.id) return { good: false, because: "it names another key" };
  if (!verify(null, preAuthentication(payload), key.publicKey, signed))
    return { good: false, because: "its signature does not fit" };
  const statement = Statement.safeParse(parsed(payload.toString("utf8")));
  return statement.success
    ? { good: true, statement: statement.data }
    : { good: false, because: "it is signed, and says nothing that we know" };
}

/** What DSSE signs: the type and the payload with their lengths, so that neither can run into the other. */
function preAuthentication(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // What is no JSON is no seal: the caller says so.
    return undefined;
  }
}
