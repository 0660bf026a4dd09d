import * as z from "zod";
import { Effort, WorkMode } from "./engine-settings.ts";
import { HistoryPiece } from "./history.ts";
import { AssistantMessage, Message, ToolResult, TokenUsage, UserMessage } from "./message.ts";

/**
 * The log version this program writes, and the newest it can read. Version 1 had the whole history in a `history`
 * record, its images in every record, and no deeds.
 */
export const SESSION_VERSION = 2;

/** What a sub-agent was started for, by whom, and by which call. */
const SubAgentHeader = z.object({
  session: z.string(),
  /** The sub-agent that started it. Absent: the session's own agent did. */
  startedBy: z.string().optional(),
  callId: z.string(),
  definition: z.string(),
  description: z.string(),
  mode: z.enum(["sync", "background"]),
});
export type SubAgentHeader = z.infer<typeof SubAgentHeader>;

/** The first record of a log. */
export const SessionHeader = z.object({
  type: z.literal("session"),
  version: z.union([z.literal(1), z.literal(SESSION_VERSION)]),
  id: z.string(),
  cwd: z.string(),
  model: z.string(),
  /** The model's endpoint, recorded so that omitting a flag cannot send a conversation to another server. */
  baseUrl: z.string().optional(),
  /** The command that must succeed before the session may end. */
  accept: z.string().optional(),
  /** Patterns of more files that decide it, and of files that the task may change. */
  acceptKeep: z.array(z.string()).optional(),
  acceptChanged: z.array(z.string()).optional(),
  /** The parent session of a fork, and how many of its records were copied. */
  parent: z.object({ id: z.string(), records: z.int() }).optional(),
  /** Set in the log of a sub-agent. */
  subAgent: SubAgentHeader.optional(),
});
export type SessionHeader = z.infer<typeof SessionHeader>;

/** What a call did, without the texts, which are in its arguments and its result. Sizes are in characters. */
export const LoggedDeed = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("read"), path: z.string() }),
  z.object({ kind: z.literal("write"), path: z.string(), before: z.int().nullable(), after: z.int() }),
  z.object({ kind: z.literal("command"), exitCode: z.int().nullable() }),
  z.object({ kind: z.literal("fetch"), url: z.string() }),
]);
export type LoggedDeed = z.infer<typeof LoggedDeed>;

/** The sub-agent that a record belongs to. Absent: the session's own agent. */
const agent = z.string().optional();

/**
 * Turns that were taken back, or brought back, with their files. `begun` is written before a file is changed; `done`
 * changes the conversation.
 */
const UndoRecord = z.object({
  type: z.literal("undo"),
  /** The id of the undo; a redo has that of the undo which it reverts. */
  undo: z.string(),
  direction: z.enum(["undo", "redo"]),
  step: z.enum(["begun", "done"]),
  /** The prompts that the turns began with, oldest first. */
  turns: z.array(z.string()),
  /** The snapshot folder with the list of files; absent where no file was changed. */
  files: z.string().optional(),
  /** How the conversation changes. */
  pieces: z.array(HistoryPiece).optional(),
  /** What the model is told about it with the next prompt. */
  note: z.string(),
});
export type UndoRecord = z.infer<typeof UndoRecord>;

/** A tool message is not stored as such. Each of its results is, as soon as its call has ended. */
export const SessionRecord = z.discriminatedUnion("type", [
  SessionHeader,
  z.object({ type: z.literal("queued"), promptId: z.string(), message: UserMessage, first: z.boolean() }),
  z.object({ type: z.literal("refused"), promptId: z.string(), because: z.string() }),
  z.object({
    type: z.literal("message"),
    message: z.union([UserMessage, AssistantMessage]),
    promptId: z.string().optional(),
    agent,
  }),
  z.object({
    type: z.literal("usage"),
    usage: TokenUsage.optional(),
    cost: z.number().optional(),
    agent,
    /** A turn of the sub-agent, and not a request of some part of it. */
    turn: z.literal(true).optional(),
  }),
  z.object({ type: z.literal("call-start"), callId: z.string(), agent }),
  z.object({ type: z.literal("call-end"), result: ToolResult, deeds: z.array(LoggedDeed).optional(), agent }),
  z.object({
    type: z.literal("history"),
    pieces: z.array(HistoryPiece).optional(),
    /** The whole history, in logs of version 1. */
    history: z.array(Message).optional(),
    because: z.string(),
  }),
  z.object({
    type: z.literal("gate"),
    gate: z.string(),
    word: z.enum(["blocked", "passed", "gave-up"]),
    reason: z.string(),
  }),
  z.object({
    type: z.literal("model"),
    model: z.string(),
    baseUrl: z.string().optional(),
    effort: Effort.optional(),
  }),
  z.object({ type: z.literal("mode"), mode: WorkMode }),
  /** What the model was given beside the conversation when the session was opened, and what was found and left out. */
  z.object({
    type: z.literal("context"),
    loaded: z.array(z.object({ names: z.array(z.string()), sha256: z.string(), bytes: z.int() })),
    notLoaded: z.array(z.object({ name: z.string(), why: z.string() })),
  }),
  /** Where the state before a turn is stored that changes files, or why it is not. */
  z.object({
    type: z.literal("snapshot"),
    promptId: z.string(),
    id: z.string().optional(),
    because: z.string().optional(),
  }),
  UndoRecord,
  z.object({ type: z.literal("rest"), reason: z.string(), because: z.string() }),
]);
export type SessionRecord = z.infer<typeof SessionRecord>;

/**
 * True for records that leave a session where it was: what a start writes before anything is asked, and a conversation
 * that was shortened.
 */
export const isPreparation = (record: SessionRecord): boolean =>
  record.type === "session" ||
  record.type === "model" ||
  record.type === "mode" ||
  record.type === "context" ||
  record.type === "history" ||
  record.type === "snapshot" ||
  (record.type === "undo" && record.step === "begun") ||
  ((record.type === "usage" || record.type === "call-end") && record.agent !== undefined);
