import { exactJson } from "../../lib/exact-json.ts";
import { isRecord } from "../../lib/is-record.ts";

/** A place where two receipts differ; undefined where one of them has nothing. */
export interface Difference {
  readonly path: string;
  readonly left: unknown;
  readonly right: unknown;
}

/** Every smallest part in which two receipts differ, their own hashes left out. Lists are compared place by place. */
export function diffReceipts(left: unknown, right: unknown): readonly Difference[] {
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
