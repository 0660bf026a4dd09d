import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { Count, Sha256, Timestamp, Uuid } from "../contract/value.ts";
import { WorkOrder } from "../contract/work-order.ts";
import { readSignedLine, signedLine } from "../lib/files/signed-chain.ts";
import { newerFormat, withUpdate } from "../lib/json/file-format.ts";
import { describeIssue, isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { errorCode } from "../lib/text/user-error.ts";
import { readSealKey, readVerifyKey, type SealKey, sealKey, type VerifyKey } from "../receipts/seal/seal.ts";

/** A file in the store, by its content. */
export const Blob = z.strictObject({ sha256: Sha256, size: Count });
export type Blob = z.infer<typeof Blob>;

/** `agent=codex`, `label=gpu`, `proven=codex`. */
export const Need = z.string().regex(/^(?:agent|label|proven)=[\w.@+-]{1,64}$/, "must be agent=NAME or label=NAME");

export const MAX_ATTEMPTS = 10;

export const MAX_ORDER_BYTES = 1024 * 1024;

const worker = z.string().min(1).max(128);
const signer = Sha256;
const version = z.literal(1);

/** A work order on its way to a worker, signed by who submits it. Its workspace is a git bundle in the store. */
export const FleetOrder = z.strictObject({
  version,
  signer,
  id: Uuid,
  /** The words and flags that `signalbox run` gets on the worker. */
  agent: z.string().regex(/^[\w.-]{1,64}$/),
  order: WorkOrder,
  accept: z.array(z.string()),
  accept_keep: z.array(z.string()),
  accept_changed: z.array(z.string()),
  rounds: z.int().min(1).max(100),
  timeout: z.number().positive().nullable(),
  idle: z.number().positive().nullable(),
  require_sandbox: z.boolean(),
  /** Names of variables; the worker has the values. */
  secrets: z.array(z.string().regex(/^[A-Za-z_]\w{0,127}$/)),
  needs: z.array(Need),
  not_before: Timestamp.nullable(),
  attempts: z.int().min(1).max(MAX_ATTEMPTS),
  workspace: z.strictObject({ bundle: Blob, commit: z.string().regex(/^[0-9a-f]{40}$/) }),
});
export type FleetOrder = z.infer<typeof FleetOrder>;

/** How an attempt ended, signed by the worker that noticed. The run's own receipt is in the store, with its seal. */
export const FleetReceipt = z.strictObject({
  version,
  signer,
  order: Uuid,
  attempt: z.int().min(1),
  worker,
  /** `ended`: the run has a receipt. `refused`: it never began. `lost`: the worker is gone. */
  outcome: z.enum(["ended", "refused", "lost"]),
  exit_code: z.int().nullable(),
  because: z.string(),
  run: Uuid.nullable(),
  receipt: Blob.nullable(),
  patch: Blob.nullable(),
  artifacts: z.array(z.strictObject({ path: z.string(), blob: Blob })),
  at: Timestamp,
});
export type FleetReceipt = z.infer<typeof FleetReceipt>;

/** What a worker says of itself. Not signed: it only informs. */
export const WorkerStatus = z.strictObject({
  name: worker,
  version: z.string(),
  meets: z.array(z.string()),
  capacity: Count,
  running: z.array(z.string()),
  /** When it last said so: milliseconds since 1970, by its own clock. */
  seen: z.number(),
});
export type WorkerStatus = z.infer<typeof WorkerStatus>;

const KINDS = {
  order: { purpose: "signalbox fleet order ", schema: FleetOrder },
  receipt: { purpose: "signalbox fleet receipt ", schema: FleetReceipt },
} as const;

/** The document with our signature in it, as one line. */
export const signDocument = (
  kind: keyof typeof KINDS,
  body: Omit<FleetOrder, "signer" | "version"> | Omit<FleetReceipt, "signer" | "version">,
  key: SealKey,
): string => signedLine(KINDS[kind].purpose, { ...body, version: 1, signer: key.id }, key.privateKey);

type Read<Document> =
  | { readonly good: true; readonly body: Document; readonly key: TrustedKey }
  | { readonly good: false; readonly because: string };

export const readOrder = (line: string, keys: readonly TrustedKey[]): Read<FleetOrder> =>
  readDocument(line, keys, KINDS.order);

export const readReceipt = (line: string, keys: readonly TrustedKey[]): Read<FleetReceipt> =>
  readDocument(line, keys, KINDS.receipt);

interface Kind<Document> {
  readonly purpose: string;
  readonly schema: z.ZodType<Document>;
}

/** Believes a document only if one of these keys signed it. */
function readDocument<Document>(
  line: string,
  keys: readonly TrustedKey[],
  { purpose, schema }: Kind<Document>,
): Read<Document> {
  const refuse = (because: string) => ({ good: false, because }) as const;
  if (Buffer.byteLength(line) > MAX_ORDER_BYTES) return refuse(`it is larger than ${MAX_ORDER_BYTES} bytes`);
  const value = parsed(line);
  if (!isRecord(value)) return refuse("it is not a document of a fleet");
  const newer = newerFormat(value);
  if (newer !== undefined) return refuse(withUpdate(`it was ${newer}`));
  const key = keys.find(({ id }) => id === value["signer"]);
  if (key === undefined)
    return refuse(
      typeof value["signer"] === "string" ? "it is signed with a key that is not trusted here" : "it is not signed",
    );
  const body = readSignedLine(purpose, line, key.publicKey);
  if (body === undefined) return refuse("its signature does not match");
  const read = schema.safeParse(body);
  const [issue] = read.error?.issues ?? [];
  if (read.success) return { good: true, body: read.data, key };
  return refuse(`it is malformed: ${issue === undefined ? "" : describeIssue(issue)}`);
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}

/** A key whose documents are believed. */
export interface TrustedKey extends VerifyKey {
  /** The PEM file; undefined for our own. */
  readonly file: string | undefined;
}

/** Where the public keys are that this user trusts in a fleet. */
export const trustedFolder = (home: string) => join(home, "fleet", "trusted");

/** Our own key, and those in the folder. */
export function trustedKeys(home: string): readonly TrustedKey[] {
  const own = readSealKey(home) ?? sealKey(home);
  const files = pemFiles(trustedFolder(home));
  return [{ ...own, file: undefined }, ...files.map((file) => ({ ...readVerifyKey(file), file }))];
}

function pemFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".pem"))
      .toSorted()
      .map((name) => join(folder, name));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
