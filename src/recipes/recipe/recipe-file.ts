import * as z from "zod";
import { INPUT_TYPES, STEP_TYPES } from "./recipe.ts";

const SAFE_KEY = "may not be __proto__";
const isSafeKey = (value: object) => !Object.hasOwn(value, "__proto__");

/** YAML reads `1.0` and `true` as a number and a boolean where the author meant text. */
const Text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const OptionalText = Text.nullish().transform((value) => value ?? undefined);
const Flag = z
  .union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")])
  .nullish()
  .transform((value) => value ?? undefined);
const Texts = z
  .union([Text.transform((text) => [text]), z.array(Text)])
  .nullish()
  .transform((value) => value ?? undefined);
const Values = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be a map of names to values",
  )
  .refine(isSafeKey, SAFE_KEY);
const OptionalValues = Values.nullish().transform((value) => value ?? undefined);
const Seconds = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d+(\.\d+)?$/, "must be a number of seconds")
      .transform(Number),
  ])
  .pipe(
    z
      .number()
      .min(0, "must be 0 or more")
      .max(7 * 24 * 3600, "must be at most a week"),
  )
  .nullish()
  // As for `timeout` of the shell, 0 is no limit.
  .transform((value) => (value === 0 ? undefined : (value ?? undefined)));

/** A step id appears in file names, flags and messages. */
const StepId = Text.pipe(
  z
    .string()
    .min(1, "is empty")
    .max(128, "is longer than 128 characters")
    .regex(/^[\p{L}\p{N}_][\p{L}\p{N}_ .:+-]*$/u, "may contain letters, digits, spaces and _ - . : + only")
    .refine((id) => !id.includes(".."), "may not contain '..'"),
);

const VariableName = Text.pipe(
  z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,128}$/, "may contain letters, digits and _ - . only")
    .refine((name) => name !== "__proto__", SAFE_KEY),
);

const RetryField = z.union([
  z
    .int()
    .min(0)
    .max(100)
    .transform((times) => ({ times, backoff: 0 })),
  z.strictObject({ times: z.int().min(0).max(100), backoff: z.number().min(0).max(3600).default(0) }),
]);

const ForEachField = z.union([
  Text.transform((items) => ({ in: items, as: "item", parallel: 1 })),
  z.array(z.unknown()).transform((items) => ({ in: items, as: "item", parallel: 1 })),
  z.strictObject({
    in: z.union([Text, z.array(z.unknown())]),
    as: VariableName.default("item"),
    parallel: z.int().min(1).max(50).default(1),
  }),
]);

const EnvironmentField = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a valid variable name"), Text)
  .nullish()
  .transform((value) => value ?? {});

/** A step as it is written. Unknown fields are reported elsewhere. */
export const StepFile = z.object({
  id: StepId,
  type: z
    .enum(STEP_TYPES)
    .nullish()
    .transform((value) => value ?? undefined),
  command: OptionalText,
  agent: OptionalText,
  prompt: OptionalText,
  output: VariableName.nullish().transform((value) => value ?? undefined),
  condition: OptionalText,
  parse_json: Flag,
  parse_json_required: Flag,
  mode: OptionalText,
  working_dir: OptionalText,
  timeout: Seconds,
  auto_stage: Flag,
  recipe: OptionalText,
  context: OptionalValues,
  sub_context: OptionalValues,
  inputs: z.union([Values, z.array(z.unknown())]).nullish(),
  continue_on_error: Flag,
  nonfatal: Flag,
  fatal: Flag,
  parallel_group: OptionalText,
  when_tags: Texts,
  recovery_on_failure: Flag,
  model: OptionalText,
  backend: OptionalText,
  retry: RetryField.nullish().transform((value) => value ?? { times: 0, backoff: 0 }),
  for_each: ForEachField.nullish().transform((value) => value ?? undefined),
  needs: Texts,
  depends_on: Texts,
  env: EnvironmentField,
  accept: Texts,
  contained: Flag,
  approval: z
    .union([Text, z.literal(true)])
    .nullish()
    .transform((value) => value ?? undefined),
  name: OptionalText,
  description: OptionalText,
});
export type StepFile = z.infer<typeof StepFile>;

const InputField = z.union([
  z.strictObject({
    name: z.string().optional(),
    type: z.enum(INPUT_TYPES).default("string"),
    required: z.boolean().optional(),
    default: z.unknown().optional(),
    description: z.string().default(""),
    options: z.array(z.unknown()).default([]),
  }),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
]);
export type InputField = z.infer<typeof InputField>;

const InputsField = z
  .union([z.record(VariableName, InputField), z.array(InputField)])
  .nullish()
  .transform((value) => value ?? {});

/** A recipe as it is written. */
export const RecipeFile = z.object({
  name: Text.pipe(z.string().regex(/\S/, "is empty").max(200, "is longer than 200 characters")),
  steps: z.array(StepFile).min(1, "must have at least one step").max(2000, "must have at most 2000 steps"),
  description: OptionalText,
  version: OptionalText,
  author: OptionalText,
  tags: Texts,
  context: OptionalValues,
  context_validation: z
    .record(z.string(), Text.nullable())
    .nullish()
    .transform((value) => value ?? {}),
  recursion: z
    .object({ max_depth: z.int().min(1).max(32).optional(), max_total_steps: z.int().min(1).max(10_000).optional() })
    .nullish()
    .transform((value) => value ?? {}),
  hooks: z
    .object({ pre_step: OptionalText, post_step: OptionalText, on_error: OptionalText })
    .nullish()
    .transform((value) => value ?? undefined),
  extends: OptionalText,
  inputs: InputsField,
  parameters: InputsField,
  env: EnvironmentField,
  accept: Texts,
  budget: z
    .strictObject({ usd: z.number().min(0).optional(), seconds: z.number().positive().optional() })
    .nullish()
    .transform((value) => value ?? {}),
  default_step_timeout: Seconds,
});
export type RecipeFile = z.infer<typeof RecipeFile>;
