import type * as z from "zod";
import type { ModelCall, SessionEvent, ToolDeed } from "./engine-event.ts";

/**
 * A tool the engine offers to a model. Its dependencies (folder, guard, processes) are bound at creation.
 * Names consist of letters, digits and `_`, at most 64 characters, which every wire accepts.
 */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Tells the model when to use the tool and what it returns. */
  readonly description: string;
  /** The input schema. The engine parses the input before anything else sees it. */
  readonly input: Input;
  /** The JSON Schema to show to the model instead of one derived from `input`, for tools of other programs. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** True when calls of one answer may run in parallel, for example because the tool only reads. */
  readonly sideBySide: boolean | ((input: z.output<Input>) => boolean);
  /** True when it ends the run. It runs after the other calls of an answer, and not if one of them failed. */
  readonly endsRun?: boolean;
  /** Does the work. It may throw; the message becomes a failed result. It must settle soon after `signal` aborts. */
  run(input: z.output<Input>, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolContext {
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Shows progress to the person: one line, and the last lines of the output. The model never sees it. */
  readonly progress: (text: string, recent?: string) => void;
  /** Passes on an event of a sub-agent that this call started, by the sub-agent's id. */
  readonly emit: (agent: string, event: SessionEvent) => void;
}

/** A tool's result. The tool bounds the length of `text` and says where the rest is. */
export interface ToolOutput {
  readonly text: string;
  readonly failed: boolean;
  readonly images?: readonly ToolImage[];
  /** Set when the run ends with this call, because the model has declared its task done. */
  readonly ends?: { readonly summary: string };
  /** What the call did, for gates, receipts and editors. The model never sees it. */
  readonly deeds?: readonly ToolDeed[];
}

export interface ToolImage {
  /** For example `image/png`. */
  readonly mediaType: string;
  readonly base64: string;
}

/**
 * The decision on one call before it runs. `deny` comes from a rule: the model gets a failed result and may continue.
 * `reject` comes from a person: the turn ends.
 */
export type Permission =
  | { readonly verdict: "allow" }
  | { readonly verdict: "deny"; readonly because: string }
  | { readonly verdict: "reject"; readonly because: string };

/** The guard in front of every tool. It is consulted exactly once for each call that would run. */
export type Permit = (call: ModelCall, signal: AbortSignal) => Promise<Permission>;

/** What a person is asked when the rules cannot decide. */
export interface PermissionQuestion {
  readonly call: ModelCall;
  /** Why approval is needed, from the guard. */
  readonly because: string;
  /** True when "for this session" may be offered. */
  readonly canRemember: boolean;
  /** The same in parts, for who shows them apart. */
  readonly parts?: QuestionParts;
}

export interface QuestionParts {
  /** Why approval is needed, without what to do about it. */
  readonly why: string;
  /** What a yes would lend or run outside, one line each. */
  readonly lends: readonly string[];
  /** The whole decision. */
  readonly details: () => string;
  /** The narrowest rule that would answer it from now on, or why there is none. Writes nothing. */
  readonly rule: () => Promise<OfferedRule>;
}

/** `text` shows the change of the file. */
export type OfferedRule =
  | { readonly file: string; readonly text: string; readonly write: () => void }
  | { readonly because: string };

/**
 * `nobody`: there was nobody to ask after all, so the call is denied as if no one could be asked. `instead`: the call is
 * denied, and the agent continues with what the person says.
 */
export type PermissionAnswer = "once" | "session" | "always" | "reject" | "nobody" | { readonly instead: string };

/** Asks the person. If nobody can be asked, this function is absent and the guard denies. */
export type AskPerson = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

/** Asks the person a question of the model, and returns the answer verbatim. */
export type AskUser = (
  question: { readonly question: string; readonly choices: readonly string[] },
  signal: AbortSignal,
) => Promise<string>;

/** The files that an editor has open, whose text may not be saved yet. Both functions throw when the editor fails. */
export interface EditorBuffers {
  read(path: string, signal: AbortSignal): Promise<string>;
  /** Undefined: the editor only lets us read. */
  readonly write?: ((path: string, text: string, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Which tools a model sees. Patterns are globs over names. */
export interface ToolFilter {
  /** If there are any, only these. */
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly isToolEnabled?: ((name: string) => boolean) | undefined;
}
