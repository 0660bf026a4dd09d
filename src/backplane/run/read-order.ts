import * as z from "zod";
import { WorkOrder } from "../../contract/work-order.ts";
import { jsonDepth } from "../../lib/json-depth.ts";
import { UserError } from "../../lib/user-error.ts";

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_TASK_BYTES = 100_000;
const DEEPEST = 64;

/** A work order from outside. Partial, deep or huge ones are refused with every reason at once. */
export function readWorkOrder(value: unknown): WorkOrder {
  const refuse = (what: string, fix: string) => new UserError(what, { where: "the work order", fix });
  let text: string;
  try {
    text = JSON.stringify(value) ?? "";
  } catch {
    throw refuse("the work order is no JSON, or nests too deep", "give a plain object");
  }
  if (text.length > MAX_BYTES)
    throw refuse(`the work order is larger than ${MAX_BYTES} bytes`, "put large things into files");
  if (jsonDepth(text) > DEEPEST) throw refuse(`the work order nests deeper than ${DEEPEST}`, "flatten it");
  const parsed = WorkOrder.safeParse(value);
  if (!parsed.success)
    throw refuse(
      `the work order is not whole: ${z.prettifyError(parsed.error)}`,
      "signalbox schema work-order shows its form",
    );
  if (Buffer.byteLength(parsed.data.task) > MAX_TASK_BYTES)
    throw refuse(
      `the task is larger than ${MAX_TASK_BYTES} bytes`,
      "put it into a file of the workspace and name that",
    );
  return parsed.data;
}
