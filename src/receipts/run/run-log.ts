import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { AgentEvent } from "../../contract/agent-event.ts";
import { Capabilities } from "../../contract/capability.ts";
import { BackendIdentity, Outcome } from "../../contract/receipt.ts";
import { Acceptance } from "../../contract/seal.ts";
import { Json } from "../../contract/value.ts";
import { WorkspaceMode } from "../../contract/work-order.ts";
import { appendWhole, atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { newerFormat, withUpdate } from "../../lib/json/file-format.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { OWNER_FILES, ownFolder } from "../../lib/process/folder-owner.ts";
import { isMissing, messageOf } from "../../lib/text/user-error.ts";
import { adoptSnapshot } from "../../snapshots/saved-session.ts";
import { removeStage, stageFolder } from "../workspace/open-workspace.ts";

/** The folder of an active run. */
export interface RunLog {
  readonly folder: string;
  /** Returns when the line is on disk. If the disk fills up in the middle of a line, the partial line is removed. */
  append(line: LogLine): void;
  /** Why a line could not be written, if any. */
  refusal(): unknown;
  /** The reason if someone asked to cancel this run, otherwise undefined. */
  cancelled(): string | undefined;
  /** Records how the run ended and removes what is no longer needed. */
  end(end: StoredEnd): void;
}

export const runsFolder = (home: string) => join(home, "runs");

/** If this file exists, the run should end. Its text is the reason. */
export const cancelFile = (folder: string) => join(folder, "cancel");

export function createRunLog(home: string, header: RunHeader): RunLog {
  const folder = join(runsFolder(home), header.run_id);
  makeFolder(folder);
  // Must come before the header, so that every run that can be found has an owner.
  const owned = ownFolder(folder);
  // The home may be inside the workspace. Our files there are not the agent's work.
  if (!existsSync(join(home, ".gitignore"))) atomicWrite(join(home, ".gitignore"), "*\n");
  atomicWrite(join(folder, "run.json"), `${JSON.stringify({ version: RUN_FORMAT, ...header })}\n`);
  return openLog(folder, owned);
}

function openLog(folder: string, owned: Disposable): RunLog {
  const file = openSync(join(folder, "log.jsonl"), "a", 0o600);
  let refused: unknown;
  return {
    folder,
    refusal: () => refused,
    append(line) {
      // After a failed write, accept no more lines. A shorter one might still fit and hide the gap.
      if (refused !== undefined) throw refused;
      try {
        appendWhole(file, Buffer.from(`${JSON.stringify(line)}\n`));
      } catch (error) {
        refused = error;
        throw error;
      }
    },
    cancelled: () => (existsSync(cancelFile(folder)) ? readFileSync(cancelFile(folder), "utf8") : undefined),
    end(end) {
      closeSync(file);
      writeRunEnd(folder, end);
      owned[Symbol.dispose]();
    },
  };
}

/** Records how a run ended, and for a staged run also what `apply` needs. */
export function writeRunEnd(folder: string, end: StoredEnd): void {
  const base = startOfLog(folder)?.base ?? null;
  if (base !== null) atomicWrite(join(folder, "base.json"), JSON.stringify({ version: RUN_FORMAT, ...base }));
  writeEnd(folder, end);
  keepSnapshot(folder, end.finished_at);
  cleanRun(folder);
}

/** Writes or replaces the record of how a run ended. */
export function writeEnd(folder: string, end: StoredEnd): void {
  atomicWrite(join(folder, "closed.json"), `${JSON.stringify({ version: RUN_FORMAT, ...end })}\n`);
}

/** Keeps the snapshot from before an in-place run, so that `signalbox runs restore` can use it. */
function keepSnapshot(folder: string, ended_at: string): void {
  const start = startOfLog(folder);
  const header = readRecord(join(folder, "run.json"), RunHeader);
  if (header.state !== "read" || start?.mode !== "pass_through" || start.before === null) return;
  const { run_id: id, agent, root: workspace, started_at } = header.value;
  try {
    const session = { id, agent, workspace, started_at, ended_at, snapshot: start.before };
    adoptSnapshot(dirname(dirname(folder)), start.snapshots, session);
  } catch {
    // The run has its receipt; only the restore is not possible. 'signalbox runs' shows which runs have one.
  }
}

/**
 * Removes what an ended run no longer needs. The owner files go last, because while the log exists, cleanup is
 * incomplete and the owner must be known.
 */
export function cleanRun(folder: string): void {
  const stage = startOfLog(folder);
  removeStage(stage?.mode === "staged" ? stage.root : stageFolder(basename(folder)));
  for (const name of [
    "cancel",
    "snapshots",
    "stage-snapshots",
    "lay-out.index",
    "check-base",
    "log.jsonl",
    ...OWNER_FILES,
  ])
    rmSync(join(folder, name), { recursive: true, force: true });
}

export const isClean = (folder: string) => !existsSync(join(folder, "log.jsonl"));

const START_BYTES = 4 * 1024 * 1024;

/** The workspace line, which is one of the first. */
function startOfLog(folder: string): Extract<LogLine, { t: "workspace" }> | undefined {
  if (isClean(folder)) return undefined;
  const file = openSync(join(folder, "log.jsonl"), "r");
  try {
    const start = Buffer.alloc(START_BYTES);
    const lines = start.toString("utf8", 0, readSync(file, start)).split("\n");
    const line = lines.find((text) => text.startsWith('{"t":"workspace"'));
    const parsed = line === undefined ? undefined : parseLine(line);
    return parsed?.t === "workspace" ? parsed : undefined;
  } finally {
    closeSync(file);
  }
}

/** The workspace of a staged run when it began; undefined for other runs. */
export function keptStage(folder: string): z.infer<typeof StoredSnapshot> | undefined {
  const base = readRecord(join(folder, "base.json"), StoredSnapshot);
  return base.state === "read" ? base.value : undefined;
}

/** All complete lines in the log of a killed run. */
export function readRunLog(folder: string): LogLine[] {
  if (isClean(folder)) return [];
  return readFileSync(join(folder, "log.jsonl"), "utf8")
    .split("\n")
    .flatMap((text) => parseLine(text) ?? []);
}

function parseLine(text: string): LogLine | undefined {
  try {
    return LogLine.safeParse(parseExactJson(text)).data;
  } catch {
    // The last line of a killed run may be truncated.
    return undefined;
  }
}

/** A snapshot as stored on disk. */
const StoredSnapshot = z.object({
  digest: z.string(),
  parts: z.array(z.object({ path: z.string(), tree: z.string() })),
});

/** What is known about a run before it begins. */
export const RunHeader = z.object({
  run_id: z.string(),
  work_order_id: z.string(),
  task: z.string(),
  agent: z.string(),
  mode: WorkspaceMode,
  root: z.string(),
  started_at: z.string(),
  owner: z.object({ pid: z.number(), started: z.string() }),
});

export type RunHeader = z.infer<typeof RunHeader>;

/**
 * One line of a run's log, written before the event is shown. The receipt of a killed run is built from these lines.
 */
export const LogLine = z.discriminatedUnion("t", [
  z.object({
    t: z.literal("workspace"),
    mode: WorkspaceMode,
    source: z.string(),
    root: z.string(),
    snapshots: z.string(),
    before: StoredSnapshot.nullable(),
    base: StoredSnapshot.nullable(),
  }),
  z.object({
    t: z.literal("host"),
    backend: BackendIdentity,
    capabilities: Capabilities,
    agent: z.object({ name: z.string(), version: z.string().nullable(), binary_sha256: z.string().nullable() }),
    holds: z.boolean(),
  }),
  z.object({ t: z.literal("policy"), policy_sha256: z.string() }),
  z.object({ t: z.literal("decision"), verdict: z.enum(["allow", "ask", "deny"]), call: z.string(), tool: z.string() }),
  /** A call that must be in the trace, and how it was answered. */
  z.object({
    t: z.literal("judged"),
    tool: z.string(),
    input: Json,
    id: z.string().optional(),
    verdict: z.enum(["allow", "ask", "deny"]),
    because: z.string(),
  }),
  z.object({ t: z.literal("artifact"), kind: z.string(), path: z.string(), size: z.number(), sha256: z.string() }),
  /** What the check of one round found, in a run of several. */
  z.object({ t: z.literal("checked"), acceptance: z.array(Acceptance) }),
  z.object({ t: z.literal("event"), event: AgentEvent }),
]);

export type LogLine = z.infer<typeof LogLine>;

/** How a run ended. Written to the run's folder once its receipt is stored. */
export const StoredEnd = z.object({
  outcome: Outcome,
  exit_code: z.number(),
  because: z.string(),
  finished_at: z.string(),
  receipt_sha256: z.string(),
  applied_at: z.string().nullable().default(null),
});

export type StoredEnd = z.infer<typeof StoredEnd>;

/** The format of all files in a run's folder. Releases before it wrote none; those files are read as format 1. */
const RUN_FORMAT = 1;

interface Schema<Value> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: Value } | { readonly success: false; readonly error: unknown };
}

/** A record of a run, `missing`, or why it cannot be used: a newer signalbox wrote it, or it was changed. */
type StoredRecord<Value> =
  | { readonly state: "read"; readonly value: Value }
  | { readonly state: "missing" }
  | { readonly state: "unread"; readonly because: string; readonly newer: boolean; readonly raw: unknown };

/** Reads one JSON file of a run's folder. Never throws. */
export function readRecord<Value>(path: string, schema: Schema<Value>): StoredRecord<Value> {
  let raw: unknown;
  try {
    raw = parseJson(readFileSync(path, "utf8"));
  } catch (error) {
    if (isMissing(error)) return { state: "missing" };
    return { state: "unread", because: `cannot be read: ${messageOf(error)}`, newer: false, raw };
  }
  const newer = newerFormat(raw, RUN_FORMAT);
  if (newer !== undefined) return { state: "unread", because: withUpdate(newer), newer: true, raw };
  const parsed = schema.safeParse(raw);
  if (parsed.success) return { state: "read", value: parsed.data };
  return { state: "unread", because: "is not a record that this signalbox wrote", newer: false, raw };
}
