import { exactJson } from "../../lib/exact-json.ts";
import { printable } from "../../lib/printable.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { receiptOf } from "./argument.ts";
import type { CommandInput } from "../command-module.ts";
import { isRecord } from "../../lib/is-record.ts";

const LONGEST = 100;

/** Prints where two receipts differ. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const [, left, right] = words;
  if (left === undefined || right === undefined)
    throw new UserError("diff needs two receipts", { fix: "try: signalbox receipt diff RUN RUN" });
  const found = diffReceipts(receiptOf(left), receiptOf(right));
  for (const difference of found) {
    const { path } = difference;
    const line =
      flags["json"] === true
        ? exactJson(difference)
        : printable(`${path}: ${short(difference.left)} → ${short(difference.right)}`);
    process.stdout.write(`${line}\n`);
  }
  return found.length === 0 ? EXIT.ok : EXIT.failed;
}

function short(value: unknown): string {
  if (value === undefined) return "(nothing)";
  const text = exactJson(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}

/** A path at which two receipts differ; undefined where one of them has no value. */
interface Difference {
  readonly path: string;
  readonly left: unknown;
  readonly right: unknown;
}

/** Every leaf at which two receipts differ, except their own hashes. Lists are compared by position. */
function diffReceipts(left: unknown, right: unknown): readonly Difference[] {
  return differences(left, right, "").filter(({ path }) => path !== "receipt_sha256");
}

function differences(left: unknown, right: unknown, path: string): readonly Difference[] {
  const [one, other] = [fields(left), fields(right)];
  if (one === undefined || other === undefined || Array.isArray(left) !== Array.isArray(right))
    return exactJson(left ?? null) === exactJson(right ?? null) ? [] : [{ path, left, right }];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differences(own(one, key), own(other, key), path === "" ? key : `${path}.${key}`));
}

function fields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (Array.isArray(value)) return Object.fromEntries(value.entries());
  return isRecord(value) && !JSON.isRawJSON(value) ? value : undefined;
}

const own = (value: Readonly<Record<string, unknown>>, key: string) =>
  Object.hasOwn(value, key) ? value[key] : undefined;
