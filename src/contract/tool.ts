import type * as z from "zod";

/**
 * Something the engine can do for a model. What it needs (folder, guard, processes) it was made with.
 * Names are letters, digits and `_`, at most 64: every wire takes these.
 */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Tells the model when to use it and what comes back. */
  readonly description: string;
  /** What the model must send; the engine parses before anything else looks at it. */
  readonly input: Input;
  /** The JSON Schema to show to the model instead of one made from `input`, for tools of other programs. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** True when calls of one answer may run beside each other: the tool only reads. */
  readonly sideBySide: boolean;
  /** Does the work. It may throw: the message becomes a failed result. It must settle soon after `signal` aborts. */
  run(input: z.output<Input>, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolContext {
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Shows the person how it goes. The model never sees it. */
  readonly progress: (text: string) => void;
}

/** What comes back from a tool. The tool keeps `text` within bounds and says where the rest is. */
export interface ToolOutput {
  readonly text: string;
  readonly failed: boolean;
  readonly images?: readonly ToolImage[];
  /** What was done, for gates, receipts and editors; the model never sees it. */
  readonly deeds?: readonly ToolDeed[];
}

export interface ToolImage {
  /** Like `image/png`. */
  readonly mediaType: string;
  readonly base64: string;
}

/** One thing that a call really did. Paths are absolute. */
export type ToolDeed =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string; readonly before: string | null; readonly after: string }
  | { readonly kind: "command"; readonly command: string; readonly exitCode: number | null }
  | { readonly kind: "fetch"; readonly url: string };

/** A call as the model made it. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** The parsed JSON of its arguments. */
  readonly input: unknown;
}

/**
 * The word on one call before it runs. `deny` is a rule's: the model gets it as a failed result and may go on.
 * `reject` is a person's: the turn ends.
 */
export type Permission =
  | { readonly verdict: "allow" }
  | { readonly verdict: "deny"; readonly because: string }
  | { readonly verdict: "reject"; readonly because: string };

/** The guard in front of every tool. It is asked exactly once for each call that would run. */
export type Permit = (call: ModelCall, signal: AbortSignal) => Promise<Permission>;

/** What a person is asked when the rules cannot decide. */
export interface PermissionQuestion {
  readonly call: ModelCall;
  /** Why it is asked, from the guard. */
  readonly because: string;
  /** True when "for this session" may be offered. */
  readonly canRemember: boolean;
}

export type PermissionAnswer = "once" | "session" | "reject";

/** Asks the person. Where there is no person, there is no such function, and the guard denies. */
export type AskPerson = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
