import * as z from "zod";

/** What one agent, run or conversation is doing, as far as it can be told. `claimed done`: nobody checked it. */
export const BOARD_STATES = [
  "needs you",
  "failed",
  "denied",
  "stalled",
  "claimed done",
  "unknown",
  "running",
  "verified",
  "interrupted",
] as const;
export type BoardState = (typeof BOARD_STATES)[number];

/** Where a state comes from: the agent's hooks, a log or receipt, whether a process lives, or a conclusion from these. */
export type BoardSource = "hook" | "log" | "process" | "inferred";

/** One line of the board. Nothing in it is safe to print as it is. */
export interface BoardEntry {
  readonly id: string;
  readonly kind: "launch" | "run" | "session" | "receipt";
  readonly agent: string;
  readonly folder: string;
  readonly task: string;
  readonly state: BoardState;
  readonly source: BoardSource;
  /** Since when it is in this state, in milliseconds since 1970. */
  readonly since: number;
  /** What it waits for, what it does, or how it ended. */
  readonly why: string;
  /** Its process is there, so that it can be stopped. */
  readonly isLive: boolean;
  readonly calls: number | null;
  readonly denied: number | null;
  /** The files from before it can be brought back. */
  readonly restorable: boolean;
  /** The id of its receipt. */
  readonly receipt: string | null;
}

/** What is known of a launch before its agent starts. */
export const LaunchHeader = z.object({
  version: z.literal(1),
  id: z.string(),
  agent: z.string(),
  folder: z.string(),
  /** Milliseconds since 1970. */
  started: z.number(),
  /** A person sits at the agent's terminal. */
  interactive: z.boolean(),
});
export type LaunchHeader = z.infer<typeof LaunchHeader>;

/** `at`: milliseconds since 1970. `up`: of a clock that nobody sets, since the machine started. */
const common = { at: z.number(), up: z.number() };

/** The sub-agent that it comes from; empty for the agent itself. */
const by = z.string();

/** What the hooks of a launch have reported. The prompts and outputs are not in it. */
export const LaunchEvent = z.discriminatedUnion("t", [
  z.object({
    ...common,
    t: z.literal("call"),
    by,
    tool: z.string(),
    text: z.string(),
    verdict: z.enum(["allow", "ask", "deny"]),
    because: z.string(),
    /** Who decides about an allowed call: the person, asked by the agent for us, or the agent, which may ask too. */
    left: z.enum(["person", "agent"]).optional(),
  }),
  z.object({ ...common, t: z.literal("end"), by, tool: z.string(), text: z.string() }),
  z.object({ ...common, t: z.literal("prompt") }),
  /** The agent wants to stop, and its check begins. */
  z.object({ ...common, t: z.literal("stopping") }),
  /** It stopped, or was sent back. */
  z.object({
    ...common,
    t: z.literal("stop"),
    sentBack: z.boolean(),
    verified: z.enum(["accepted", "changed_check", "refused", "stale", "not_checked"]),
    line: z.string(),
  }),
  /** The agent has ended; signalbox finishes. */
  z.object({ ...common, t: z.literal("exit") }),
]);
export type LaunchEvent = z.infer<typeof LaunchEvent>;
