import { describeIssue, isRecord } from "../../lib/json/json-value.ts";
import { readYaml, type YamlDocument } from "../../lib/json/read-yaml.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { type InputField, RecipeFile, type StepFile } from "./recipe-file.ts";
import {
  type Context,
  DEFAULT_LIMITS,
  MAX_RECIPE_BYTES,
  type Recipe,
  RECIPE_EXIT,
  type RecipeInput,
  type Step,
  type StepType,
} from "./recipe.ts";

interface ReadRecipe {
  readonly recipe: Recipe;
  /** What the author probably did not mean, each with its place. */
  readonly warnings: readonly string[];
}

/** Parses a recipe. Any mistake throws a UserError with the file, the line and the field. */
export function readRecipe(text: string, name: string): ReadRecipe {
  const document = readYaml(text, {
    name,
    what: "the recipe",
    maxBytes: MAX_RECIPE_BYTES,
    tooLarge: "split it into several recipes",
  });
  if (!isRecord(document.value))
    throw new UserError("the recipe is not a map with 'name' and 'steps'", {
      where: name,
      fix: "see docs/recipes.md for the format",
      exitCode: RECIPE_EXIT.invalid,
    });
  const parsed = RecipeFile.safeParse(document.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UserError(`the recipe is invalid: ${issue === undefined ? "" : describeIssue(issue)}`, {
      where: document.at(issue?.path ?? []),
      fix: "see docs/recipes.md for every field",
      exitCode: RECIPE_EXIT.invalid,
    });
  }
  const file = parsed.data;
  const steps = file.steps.map((step, index) => readStep(step, index, document));
  return {
    recipe: toRecipe(file, steps),
    warnings: [
      ...unknownFields(document.value).map(({ path, message }) => `${document.at(path)}: ${message}`),
      ...file.steps.flatMap((step, index) =>
        strayFields(step).map((text) => `${document.at(["steps", index])}: ${text}`),
      ),
    ],
  };
}

function toRecipe(file: RecipeFile, steps: readonly Step[]): Recipe {
  const { recursion } = file;
  return {
    name: file.name.trim(),
    description: file.description ?? "",
    version: file.version ?? "1.0.0",
    author: file.author ?? "",
    tags: file.tags ?? [],
    context: file.context ?? {},
    contextValidation: Object.fromEntries(
      Object.entries(file.context_validation).map(([key, rule]) => [key, (rule ?? "").trim()]),
    ),
    recursion: {
      maxDepth: recursion.max_depth ?? DEFAULT_LIMITS.maxDepth,
      maxTotalSteps: recursion.max_total_steps ?? DEFAULT_LIMITS.maxTotalSteps,
    },
    hooks: {
      preStep: file.hooks?.pre_step,
      postStep: file.hooks?.post_step,
      onError: file.hooks?.on_error,
    },
    extends: file.extends,
    steps,
    inputs: { ...readInputs(file.parameters), ...readInputs(file.inputs) },
    env: file.env,
    accept: file.accept ?? [],
    budget: { usd: file.budget.usd, seconds: file.budget.seconds },
    stepTimeout: file.default_step_timeout,
  };
}

function readStep(file: StepFile, index: number, document: YamlDocument): Step {
  const type = typeOf(file);
  const missing = missingField(type, file);
  if (missing !== undefined)
    throw new UserError(`the step '${file.id}' is invalid: a step of type ${type} needs '${missing}'`, {
      where: document.at(["steps", index]),
      fix: `add '${missing}', or change its type`,
      exitCode: RECIPE_EXIT.invalid,
    });
  const question = file.approval === undefined || file.approval === true ? undefined : file.approval;
  return {
    id: file.id,
    type,
    command: file.command,
    agent: file.agent,
    prompt: file.prompt,
    output: file.output,
    condition: file.condition,
    parseJson: file.parse_json === true || file.parse_json_required === true,
    parseJsonRequired: file.parse_json_required === true,
    mode: file.mode,
    workingDir: file.working_dir,
    timeout: file.timeout,
    autoStage: file.auto_stage,
    recipe: file.recipe,
    context: contextOf(file),
    isFatal: !(file.continue_on_error === true || file.nonfatal === true || file.fatal === false),
    parallelGroup: file.parallel_group,
    whenTags: file.when_tags ?? [],
    recoveryOnFailure: file.recovery_on_failure === true,
    model: file.model,
    backend: file.backend,
    retry: file.retry,
    forEach:
      file.for_each === undefined
        ? undefined
        : { items: file.for_each.in, as: file.for_each.as, parallel: file.for_each.parallel },
    needs: file.needs ?? file.depends_on,
    env: file.env,
    accept: file.accept ?? [],
    contained: file.contained !== false,
    approval:
      type === "approval" ? (question ?? file.prompt ?? file.description ?? `Continue with ${file.id}?`) : undefined,
  };
}

/** Explicit type, then recipe, then agent, then a prompt without a command, then bash. */
function typeOf(file: StepFile): StepType {
  if (file.type !== undefined) return file.type;
  if (file.recipe !== undefined) return "recipe";
  if (file.agent !== undefined) return "agent";
  if (file.command === undefined && file.approval !== undefined) return "approval";
  if (file.command === undefined && file.prompt !== undefined) return "agent";
  return "bash";
}

function missingField(type: StepType, file: StepFile): string | undefined {
  if (type === "bash" && file.command === undefined) return "command";
  if (type === "agent" && file.prompt === undefined) return "prompt";
  return type === "recipe" && file.recipe === undefined ? "recipe" : undefined;
}

/** `sub_context` and `inputs` of a recipe step are what other authors call `context`. */
function contextOf({ context, sub_context: other, inputs }: StepFile): Context {
  return { ...(isRecord(inputs) ? inputs : {}), ...other, ...context };
}

function strayFields(file: StepFile): readonly string[] {
  const type = typeOf(file);
  const given = (["context", "sub_context", "inputs"] as const).filter((key) => file[key] !== undefined);
  return [
    ...(file.sub_context === undefined ? [] : ["'sub_context' is read as 'context'"]),
    ...(file.depends_on === undefined ? [] : ["'depends_on' is read as 'needs'"]),
    ...(type === "recipe" ? [] : given.map((key) => `'${key}' has no effect on a step of type ${type}`)),
    ...(type === "bash" || file.command === undefined ? [] : [`'command' has no effect on a step of type ${type}`]),
    ...(Array.isArray(file.inputs) ? ["a list of 'inputs' has no effect on a step"] : []),
  ];
}

function readInputs(file: RecipeFile["inputs"]): Readonly<Record<string, RecipeInput>> {
  if (!Array.isArray(file))
    return Object.fromEntries(Object.entries(file).map(([name, field]) => [name, readInput(field)]));
  return Object.fromEntries(
    file.flatMap((field) => {
      // In a list, a bare word is the name of a required text.
      if (typeof field === "string") return [[field, { ...TEXT_INPUT, required: true }]];
      return isRecord(field) && field.name !== undefined ? [[field.name, readInput(field)]] : [];
    }),
  );
}

const TEXT_INPUT: RecipeInput = { type: "string", required: false, default: undefined, description: "", options: [] };

/** `name: value` is short for a default. */
function readInput(field: InputField): RecipeInput {
  if (!isRecord(field)) return { ...TEXT_INPUT, type: shortType(field), default: field };
  const { type, description, options, default: fallback } = field;
  return { type, description, options, default: fallback, required: field.required ?? fallback === undefined };
}

function shortType(value: unknown): RecipeInput["type"] {
  return typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "string";
}

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

interface FieldWarning {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Fields that nothing reads, with the name that was probably meant. */
function unknownFields(value: unknown): readonly FieldWarning[] {
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
