import { isRecord } from "../../lib/is-record.ts";
import { nearest } from "../../lib/nearest.ts";

/** Every field of a recipe that has a meaning. */
const RECIPE_FIELDS: readonly string[] =
  "name steps description version author tags context context_validation recursion hooks extends inputs parameters env accept budget default_step_timeout".split(
    " ",
  );

/** Every field of a step that has a meaning. */
const STEP_FIELDS: readonly string[] =
  "id type command agent prompt output condition parse_json parse_json_required mode working_dir timeout auto_stage recipe context sub_context continue_on_error nonfatal fatal parallel_group when_tags recovery_on_failure model backend retry for_each needs depends_on env accept contained approval inputs name description".split(
    " ",
  );

/** Fields that other runners accept; they document something and change nothing. */
const WITHOUT_EFFECT: readonly string[] = ["output", "outputs", "max_env_value_bytes", "skill", "task"];

const HOOK_FIELDS: readonly string[] = ["pre_step", "post_step", "on_error"];

export interface FieldWarning {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Fields that nothing reads, with the name that was probably meant. */
export function unknownFields(value: unknown): readonly FieldWarning[] {
  if (!isRecord(value)) return [];
  const steps: readonly unknown[] = Array.isArray(value["steps"]) ? value["steps"] : [];
  return [
    ...unknownIn(value, RECIPE_FIELDS, []),
    ...unknownIn(value["hooks"], HOOK_FIELDS, ["hooks"]),
    ...steps.flatMap((step, index) => unknownIn(step, STEP_FIELDS, ["steps", index])),
  ];
}

function unknownIn(value: unknown, known: readonly string[], path: readonly PropertyKey[]): readonly FieldWarning[] {
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [...path, key], message: describeUnknown(key, known) }));
}

function describeUnknown(key: string, known: readonly string[]): string {
  if (WITHOUT_EFFECT.includes(key)) return `the field '${key}' has no effect here`;
  const close = nearest(key, known);
  return `unknown field '${key}'${close === undefined ? "" : ` (did you mean '${close}'?)`}; it has no effect`;
}
