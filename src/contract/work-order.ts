import * as z from "zod";
import { Requirement } from "./capability.ts";
import { Decimal, JsonObject, Uuid } from "./value.ts";
import { LooseOrderPolicy, OrderPolicy } from "./policy.ts";

/** Whether the order asks for a patch or for the changed workspace. */
export const Lane = z.enum(["patch_first", "workspace_first"]);
export type Lane = z.infer<typeof Lane>;

/** `pass_through` works in place, `staged` on a copy. */
export const WorkspaceMode = z.enum(["pass_through", "staged"]);
export type WorkspaceMode = z.infer<typeof WorkspaceMode>;

const NO_NUL = /^[^\0]*$/;
const Path = z.string().min(1).regex(NO_NUL, "contains a NUL character");
const Globs = z.array(Path);
const Snippet = z.strictObject({ name: z.string(), content: z.string() });
const LooseSnippet = z.object(Snippet.shape);
// A record would ignore a field with this name.
const Environment = JsonObject.refine(
  (value) => !Object.hasOwn(value, "__proto__"),
  "__proto__ is not a valid variable name",
).pipe(
  z.record(
    z.string().regex(/^[^=\0]+$/, "is not a valid variable name"),
    z.string().regex(NO_NUL, "contains a NUL character"),
  ),
);

const limits = {
  model: z.string().nullable().default(null),
  max_budget_usd: Decimal.pipe(z.number().min(0)).nullable().default(null),
  max_turns: z.uint32().nullable().default(null),
};

/** A task with everything that determines how it is done. Missing or unknown fields are rejected. */
export const WorkOrder = z.strictObject({
  id: Uuid,
  task: z.string().regex(/\S/, "is empty"),
  lane: Lane,
  workspace: z.strictObject({ root: Path, mode: WorkspaceMode, include: Globs, exclude: Globs }),
  context: z.strictObject({ files: z.array(Path), snippets: z.array(Snippet) }),
  policy: OrderPolicy,
  requirements: z.strictObject({ required: z.array(Requirement) }),
  config: z.strictObject({ ...limits, vendor: JsonObject, env: Environment }),
});
export type WorkOrder = z.infer<typeof WorkOrder>;

const NO_ID = "00000000-0000-0000-0000-000000000000";

/**
 * A work order as a host reads it: missing fields get their empty form, and unknown keys are ignored.
 * The policy is the exception, because a rule we ignore is not enforced.
 */
export const LooseWorkOrder = z.object({
  id: Uuid.default(NO_ID),
  task: z.string().default(""),
  lane: Lane.default("patch_first"),
  workspace: z
    .object({
      root: Path.default("."),
      mode: WorkspaceMode.default("pass_through"),
      include: Globs.default([]),
      exclude: Globs.default([]),
    })
    .prefault({}),
  context: z.object({ files: z.array(Path).default([]), snippets: z.array(LooseSnippet).default([]) }).prefault({}),
  policy: LooseOrderPolicy.prefault({}),
  requirements: z.object({ required: z.array(Requirement).default([]) }).prefault({}),
  config: z.object({ ...limits, vendor: JsonObject.default({}), env: Environment.default({}) }).prefault({}),
});
