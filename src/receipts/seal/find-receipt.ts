import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../lib/json/sha256.ts";
import { COMMIT_SUBJECT, type Statement } from "../../contract/seal.ts";
import { EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { receiptHash } from "./canonical-receipt.ts";
import { type IndexedSeal, readIndex, readSealLine } from "./receipt-index.ts";
import { readReceiptBytes, readStore } from "./store-receipt.ts";
import { openSeal, publicPem, readSealKey, sealedHash, sealKey, type VerifyKey } from "./seal.ts";
import { readPruned, receiptTombstone } from "./verify-store.ts";
import { MAX_RECEIPT_BYTES, receiptFileName, storePlaces } from "./chain.ts";
import { ExactReceipt } from "../../contract/receipt.ts";
import { describeIssue, isRecord } from "../../lib/json/json-value.ts";
import { duplicateKey, parseJson } from "../../lib/json/parse-json.ts";
import { exactJson, parseExactJson } from "../../lib/json/exact-json.ts";
import { refuseNewer } from "../../lib/json/file-format.ts";
import { printable } from "../../lib/text/printable.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import * as z from "zod";
import { JsonObject } from "../../contract/value.ts";

interface Sealed {
  readonly statement: Statement;
  /** The seal's line in the chain. */
  readonly seal: string;
}

export interface FoundReceipt extends Sealed {
  readonly text: string;
}

/** All receipts with a valid seal, oldest first. `verifyStore` reports what is wrong with the others. */
export function listReceipts(home: string): readonly Sealed[] {
  const key = readSealKey(home);
  const { chain } = readStore(home);
  if (key === undefined || chain === undefined) return [];
  return chain
    .toString("utf8")
    .split("\n")
    .flatMap((seal) => {
      const opened = openSeal(seal, key);
      return opened.good ? [{ statement: opened.statement, seal }] : [];
    });
}

/** The newest receipts, oldest first, without reading the others. */
export function latestReceipts(home: string, limit: number): readonly Sealed[] {
  if (limit === 0) return [];
  const key = readSealKey(home);
  const index = key === undefined ? undefined : readIndex(home, key);
  const sealed = index?.slice(-limit).map((entry) => sealedAt(home, entry, key)) ?? [undefined];
  const found = sealed.filter((each) => each !== undefined);
  return found.length === sealed.length ? found : listReceipts(home).slice(-limit);
}

/** Changes whenever a receipt is stored or the chain is pruned. */
export function storeState(home: string): string {
  const { size, mtimeMs } = statSync(storePlaces(home).chain, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
  return `${size} ${mtimeMs}`;
}

/** The receipt that a seal is for; `gone`, or `changed` since it was sealed. */
export function sealedReceipt(home: string, statement: Statement): Buffer | "gone" | "changed" {
  const content = readReceiptBytes(home, idOf({ statement }));
  if (content === undefined) return "gone";
  return sha256(content) === sealedHash(statement) ? content : "changed";
}

/** The receipt of a run, by id, unique id prefix, or `last`. Never returns a receipt that was changed. */
export function findReceipt(home: string, run: string): FoundReceipt {
  const first = findIndexed(home, run) ?? pickRun(listReceipts(home), run);
  const content = sealedReceipt(home, first.statement);
  if (content === "gone") refusePruned(home, first.statement);
  if (typeof content === "string")
    throw new UserError("the receipt of this run is missing or was changed", {
      where: receiptFileName(idOf(first)),
      fix: "details: signalbox receipt verify",
      exitCode: EXIT.failed,
    });
  return { ...first, text: content.toString("utf8") };
}

/** Tells when the receipt of a seal was pruned; undefined for one that is still there, and for one that was lost. */
export function prunedReceipts(home: string): (statement: Statement) => string | undefined {
  const key = readSealKey(home);
  const { prunedAt } = key === undefined ? { prunedAt: () => undefined } : readPruned(home, key);
  const { folder } = storePlaces(home);
  // A prune records what it removes before it does.
  return (statement) =>
    existsSync(join(folder, receiptFileName(idOf({ statement })))) ? undefined : prunedAt(receiptTombstone(statement));
}

function refusePruned(home: string, statement: Statement): void {
  const date = prunedReceipts(home)(statement);
  if (date === undefined) return;
  throw new UserError(`the receipt of this run was pruned on ${date.slice(0, 10)}; its seal is still in the chain`, {
    where: receiptFileName(statement.predicate.run_id),
    fix: "list them with: signalbox receipt list",
    exitCode: EXIT.failed,
  });
}

/** Undefined unless the index has exactly one such run and its seal is good; then all seals are read. */
function findIndexed(home: string, run: string): Sealed | undefined {
  const key = readSealKey(home);
  const index = key === undefined ? undefined : readIndex(home, key);
  const wanted = run.toLowerCase();
  const found = wanted === "last" ? index?.slice(-1) : index?.filter((entry) => entry.run.startsWith(wanted));
  const [entry] = found ?? [];
  return entry === undefined || found?.length !== 1 || wanted === "" ? undefined : sealedAt(home, entry, key);
}

function sealedAt(home: string, entry: IndexedSeal, key: VerifyKey | undefined): Sealed | undefined {
  if (key === undefined) return undefined;
  const seal = readSealLine(home, entry);
  const opened = openSeal(seal, key);
  return opened.good && opened.statement.predicate.run_id === entry.run
    ? { statement: opened.statement, seal }
    : undefined;
}

/**
 * The sealed run with this id or unique id prefix, or the latest one for `last`. The id of a native session names the
 * last receipt of its conversation.
 */
export function pickRun<Entry extends { readonly statement: Statement }>(all: readonly Entry[], run: string): Entry {
  const wanted = run.toLowerCase();
  const named = wanted === "last" ? all.slice(-1) : all.filter((entry) => idOf(entry).startsWith(wanted));
  const found = named.length > 0 ? named : all.filter(isOf(workOfSession(wanted))).slice(-1);
  const [first, second] = found;
  if (first === undefined || wanted === "")
    throw new UserError(`no receipt for run ${JSON.stringify(run)}`, {
      fix: "list them with: signalbox receipt list",
    });
  if (second !== undefined)
    throw new UserError(`${found.length} runs start with ${JSON.stringify(run)}`, {
      fix: `use more of the id, such as ${idOf(first)}`,
    });
  return first;
}

const isOf =
  (work: string) =>
  ({ statement }: { readonly statement: Statement }) =>
    statement.predicate.work_order_id.replaceAll("-", "") === work;

/** The work order of a conversation: the receipts of all its starts have the same. */
export const workOfSession = (session: string) => sha256(`signalbox session ${session}`).slice(0, 32);

/** The commit that a seal names. */
export const sealedCommit = ({ subject }: Statement): string | undefined =>
  subject.find(({ name }) => name === COMMIT_SUBJECT)?.digest["gitCommit"];

const idOf = ({ statement }: { readonly statement: Statement }) => statement.predicate.run_id;

/** The receipt with its hash filled in, in the contract's form. */
export function finishedReceipt({ text, statement }: FoundReceipt): Readonly<Record<string, unknown>> {
  return { ...JsonObject.parse(parseExactJson(text)), receipt_sha256: sealedHash(statement) ?? null };
}

/** Everything needed to verify a receipt on another machine, except trust in its key. */
export function exportReceipt(home: string, run: string): string {
  const found = findReceipt(home, run);
  const exported: ExportedReceipt = {
    format: EXPORT_FORMAT,
    receipt: finishedReceipt(found),
    seal: JsonObject.parse(parseJson(found.seal)),
    public_key: publicPem(sealKey(home)),
  };
  return `${exactJson(exported)}\n`;
}

/** The exact text that was sealed, the seal, and the key of this machine, for whoever verifies them elsewhere. */
export function sealedParts(home: string, run: string) {
  const { text, seal } = findReceipt(home, run);
  return { text, seal: parseJson(seal), key: publicPem(sealKey(home)) };
}

const EXPORT_FORMAT = "signalbox-receipt/v1";

/**
 * A receipt with its seal, to be verified elsewhere. The key is included for convenience and proves nothing by itself.
 */
export const ExportedReceipt = z.strictObject({
  format: z.literal(EXPORT_FORMAT),
  receipt: JsonObject,
  seal: JsonObject,
  public_key: z.string(),
});
type ExportedReceipt = z.infer<typeof ExportedReceipt>;

/** Throws for an exported receipt of a newer signalbox. */
export function refuseNewerExport(value: unknown, where: string): void {
  const format = isRecord(value) ? value["format"] : undefined;
  const [, version] = (typeof format === "string" ? /^signalbox-receipt\/v(\d{1,9})$/.exec(format) : undefined) ?? [];
  refuseNewer({ version: Number(version) }, where);
}

export const readReceiptFile = (path: string): ExactReceipt => readReceipt(readJsonFile(path), path);

/** The canonical hash of the receipt in a file, whatever hash the file states. */
export const receiptFileHash = (path: string): string => receiptHash(readReceiptFile(path));

/** Parses a JSON file, keeping numbers as written. Invalid UTF-8, invalid JSON, and duplicate keys are user errors. */
export function readJsonFile(path: string): unknown {
  let bytes: Buffer;
  try {
    bytes = readBounded(path, MAX_RECEIPT_BYTES).bytes;
  } catch (cause) {
    const why = messageOf(cause);
    throw new UserError(`cannot read this file: ${why}`, { where: path, fix: "pass a receipt file", cause });
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value = parseExactJson(text);
    const key = duplicateKey(text);
    if (key === undefined) return value;
    throw new SyntaxError(`the key ${JSON.stringify(key)} appears twice in one object`);
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "it is not valid UTF-8";
    throw new UserError(`this file is not valid JSON: ${why}`, {
      where: path,
      fix: "pass a receipt file",
    });
  }
}

/** Parses `value` as a receipt, or throws a UserError that lists what is wrong with it. */
export function readReceipt(value: unknown, where: string): ExactReceipt {
  const receipt = ExactReceipt.safeParse(value);
  if (receipt.success) return receipt.data;
  const problems = receipt.error.issues.slice(0, MAX_PROBLEMS).map((issue) => printable(describeIssue(issue)));
  const more = receipt.error.issues.length - problems.length;
  throw new UserError(`not a receipt: ${problems.join("; ")}${more > 0 ? `; and ${more} more` : ""}`, {
    where,
    fix: "compare it with: signalbox schema receipt",
  });
}

const MAX_PROBLEMS = 8;
