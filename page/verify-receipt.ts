/** The exact text that was sealed, its seal (DSSE), and the key of the machine. */
export interface SealedParts {
  readonly text: string;
  readonly seal: {
    readonly payload: string;
    readonly payloadType: string;
    readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
  };
  readonly key: string;
}

export interface Step {
  readonly says: string;
  readonly holds: boolean;
}

/** Verifies a receipt with what the browser has. Every step says what was computed. */
export async function verifyReceipt({ text, seal, key }: SealedParts): Promise<readonly Step[]> {
  const payload = bytesOf(seal.payload);
  const statement = await new Response(payload).json();
  const hash = hexOf(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const named = statement.subject?.[0]?.digest?.sha256;
  const der = bytesOf(key.replaceAll(/-----[A-Z ]+-----|\s/g, ""));
  const keyId = hexOf(await crypto.subtle.digest("SHA-256", der));
  const [signature] = seal.signatures;
  const publicKey = await crypto.subtle.importKey("spki", der, { name: "Ed25519" }, false, ["verify"]);
  const head = new TextEncoder().encode(`DSSEv1 ${seal.payloadType.length} ${seal.payloadType} ${payload.length} `);
  const signed = new Uint8Array([...head, ...payload]);
  const isSigned = await crypto.subtle.verify("Ed25519", publicKey, bytesOf(signature?.sig ?? ""), signed);
  return [
    { says: `The receipt's SHA-256 is ${hash}.`, holds: true },
    { says: `The seal names ${named ?? "no hash"}.`, holds: named === hash },
    {
      says: `The key of this machine is ${keyId}; the seal says ${signature?.keyid}.`,
      holds: keyId === signature?.keyid,
    },
    { says: "The Ed25519 signature of that key over the seal is good.", holds: isSigned },
  ];
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const hexOf = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
