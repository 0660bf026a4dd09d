import * as z from "zod";
import type { WorkOrder } from "../../contract/work-order.ts";
import { isRecord } from "../../lib/is-record.ts";
import { UserError } from "../../lib/user-error.ts";

const Step = z.union([
  z.strictObject({ say: z.string() }),
  /** A shell command, run by `sh` in the workspace if the guard allows it. */
  z.strictObject({ bash: z.string() }),
  z.strictObject({ write: z.string(), content: z.string() }),
  z.strictObject({ read: z.string() }),
  /** Any other call: judged and reported, but without effect. */
  z.strictObject({ call: z.string(), input: z.unknown() }),
  z.strictObject({ wait_ms: z.int().min(0).max(600_000) }),
  z.strictObject({ usage: z.record(z.string(), z.number()) }),
  z.strictObject({ end: z.enum(["complete", "partial", "failed"]) }),
  z.strictObject({ crash: z.string() }),
]);
export type MockStep = z.infer<typeof Step>;

const Script = z.array(Step).max(10_000);

/** The mock's script: `config.vendor.mock.script`, or a single answer that repeats the task. */
export function mockScript(order: Pick<WorkOrder, "config" | "task">): readonly MockStep[] {
  const { mock } = order.config.vendor;
  if (!isRecord(mock) || mock["script"] === undefined) return [{ say: `mock: ${order.task}` }];
  const parsed = Script.safeParse(mock["script"]);
  if (parsed.success) return parsed.data;
  throw new UserError(`cannot read the mock's script: ${z.prettifyError(parsed.error)}`, {
    where: "config.vendor.mock.script",
    fix: "see docs/backplane.md for the steps",
  });
}
