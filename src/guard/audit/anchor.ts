import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isRecord } from "../../lib/is-record.ts";
import { makeFolder } from "../../lib/make-folder.ts";

/** The end of a segment, kept in another file and signed: a segment that is shorter than its anchor was cut. */
export interface Anchor {
  readonly segment: string;
  readonly hash: string;
  readonly count: number;
  readonly time: string;
}

const headFile = (folder: string) => join(folder, "heads", "audit.jsonl");
const keyFile = (folder: string) => join(folder, "keys", "audit.pem");

export function appendAnchor(folder: string, anchor: Anchor): void {
  const signature = sign(null, Buffer.from(canonicalJson(anchor)), privateKey(folder)).toString("base64");
  makeFolder(dirname(headFile(folder)));
  appendFileSync(headFile(folder), `${JSON.stringify({ ...anchor, signature })}\n`, { mode: 0o600 });
}

/** Every anchor with a good signature, and the number of lines without one. */
export function readAnchors(folder: string): { readonly anchors: readonly Anchor[]; readonly bad: number } {
  if (!existsSync(headFile(folder))) return { anchors: [], bad: 0 };
  const lines = readFileSync(headFile(folder), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const anchors = lines.flatMap((line) => readAnchor(line, folder) ?? []);
  return { anchors, bad: lines.length - anchors.length };
}

function readAnchor(line: string, folder: string): Anchor | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value)) return undefined;
    const { segment, hash, count, time, signature } = value;
    if (
      typeof segment !== "string" ||
      typeof hash !== "string" ||
      typeof count !== "number" ||
      typeof time !== "string" ||
      typeof signature !== "string"
    )
      return undefined;
    const anchor = { segment, hash, count, time };
    const key = createPublicKey(privateKey(folder));
    return verify(null, Buffer.from(canonicalJson(anchor)), key, Buffer.from(signature, "base64")) ? anchor : undefined;
  } catch {
    // A line that cannot be read is counted as bad by the caller.
    return undefined;
  }
}

function privateKey(folder: string) {
  const file = keyFile(folder);
  if (!existsSync(file)) {
    makeFolder(dirname(file));
    const { privateKey: made } = generateKeyPairSync("ed25519");
    writeFileSync(file, made.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  }
  return createPrivateKey(readFileSync(file));
}
