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

const Scripts = z.array(Script).min(1).max(100);

/**
 * The mock's script: `config.vendor.mock.script`, the one of this round in `rounds`, where the last is played again, or
 * a single answer that repeats the task.
 */
export function mockScript(order: Pick<WorkOrder, "config" | "task">, round: number): readonly MockStep[] {
  const { mock } = order.config.vendor;
  const { script, rounds } = isRecord(mock) ? mock : {};
  if (rounds !== undefined) {
    const scripts = parsed(Scripts, rounds, "rounds");
    return scripts[Math.min(round, scripts.length) - 1] ?? [];
  }
  return script === undefined ? [{ say: `mock: ${order.task}` }] : parsed(Script, script, "script");
}

function parsed<Value>(schema: z.ZodType<Value>, value: unknown, name: string): Value {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new UserError(`cannot read the mock's script: ${z.prettifyError(read.error)}`, {
    where: `config.vendor.mock.${name}`,
    fix: "see docs/backplane.md for the steps",
  });
}
