import * as z from "zod";

/** Where a summary usually starts, as a share of the model's window. */
export const COMPACT_AT = 0.8;

const Milliseconds = z.int().min(0).max(3_600_000);

/** The engine's limits. Each has a default, and none can be unlimited. */
export const EngineSettings = z
  .strictObject({
    /** Maximum requests for one answer, including the first. */
    tries: z.int().min(1).max(20).default(6),
    retry_base_ms: Milliseconds.default(500),
    retry_cap_ms: Milliseconds.default(30_000),
    /** How long a provider may stay silent, before its answer and within it. */
    idle_ms: Milliseconds.min(1_000).default(300_000),
    /** Maximum turns in one run of the inner loop. */
    turns: z.int().min(1).max(100_000).default(1_000),
    /** Maximum calls running in parallel. */
    parallel_calls: z.int().min(1).max(64).default(8),
    /** How long a tool may take to settle after an interruption. */
    stop_grace_ms: Milliseconds.default(5_000),
    /** Consecutive blocks by one gate, without any change of state, before it gives up. */
    gate_blocks: z.int().min(1).max(100).default(8),
    /** How often in a row an agent on autopilot that stops without `task_complete` is told to go on. */
    autopilot_continues: z.int().min(0).max(100).default(5),
    /** The share of the model's window from which a summary is written while the agent works on. */
    compact_at: z.number().min(0.05).max(1).default(COMPACT_AT),
    /** The share from which the next request waits for it. */
    compact_wait_at: z.number().min(0.05).max(1).default(0.95),
  })
  .refine(({ compact_at: begin, compact_wait_at: wait }) => wait >= begin, {
    path: ["compact_wait_at"],
    error: "must be at least compact_at, or a request would wait for a summary that nobody writes (default: 0.95)",
  });

export type EngineSettings = z.infer<typeof EngineSettings>;

/** How much a model should think before it answers. `max`: as much as it can. */
export const Effort = z.enum(["low", "medium", "high", "max"]);

/** A settings file of a user or of a project. `engine` contains some of the EngineSettings. */
const CheckCommand = z.string().trim().min(1).max(2000);

export const SettingsFile = z.strictObject({
  version: z.literal(1).optional(),
  /** `provider/model` */
  model: z.string().min(1).max(300).optional(),
  effort: Effort.optional(),
  /** Only in the user's own file. */
  base_url: z.string().min(1).max(2000).optional(),
  skills: z
    .strictObject({
      /** More folders of skills. Only in the user's own file. */
      directories: z.array(z.string().min(1).max(1000)).max(50).optional(),
      /** Names of skills that are not offered. */
      disabled: z.array(z.string().min(1).max(100)).max(500).optional(),
    })
    .optional(),
  engine: z.record(z.string(), z.unknown()).optional(),
  /** Checks of every launch in this project. Only in the project's file. */
  accept: z.union([CheckCommand, z.array(CheckCommand).min(1).max(20)]).optional(),
  /** False: a launch whose work was not checked does not say how it could be. */
  check_hint: z.boolean().optional(),
});

export type SettingsFile = z.infer<typeof SettingsFile>;

/** What can be switched on and off for a start; see docs/engine.md. */
export type FeatureFlags = Readonly<Record<"autopilot" | "lsp-tools" | "disable-web-tools", boolean>>;

export type Effort = z.infer<typeof Effort>;

/**
 * How a session works. `ask`: the rules decide, and what needs approval is asked. `plan`: it only reads, until the plan
 * is approved. `auto`: it works on by itself until it says that the task is complete, and nobody is asked.
 */
export const WorkMode = z.enum(["ask", "plan", "auto"]);

export type WorkMode = z.infer<typeof WorkMode>;

/** What the model is told when the user has approved its plan. */
export const PLAN_APPROVED = "The plan is approved: carry it out.";
