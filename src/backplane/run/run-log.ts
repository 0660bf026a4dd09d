import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { appendWhole } from "../../lib/append-whole.ts";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { parseExactJson } from "../../lib/exact-json.ts";
import { OWNER_FILES, ownFolder } from "../../lib/folder-owner.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { removeStage, stageFolder } from "../workspace/open-workspace.ts";
import { LogLine, type RunHeader, type StoredEnd, StoredSnapshot } from "./run-record.ts";

/** The folder of one run while it is going on. */
export interface RunLog {
  readonly folder: string;
  /** On disk when it returns; a kill a moment later loses nothing. A line that a full disk took in part is taken back. */
  append(line: LogLine): void;
  /** Why a line could not be written, if one could not. */
  refusal(): unknown;
  /** Whether somebody asked for the end of this run, and why. */
  cancelled(): string | undefined;
  /** Writes down how the run ended and removes what nobody needs any more. */
  end(end: StoredEnd): void;
}

/** Where the runs of a home lie. */
export const runsFolder = (home: string) => join(home, "runs");
/** Its presence asks a run to end; its text says why. */
export const cancelFile = (folder: string) => join(folder, "cancel");

/** Starts the log of a run. */
export function createRunLog(home: string, header: RunHeader): RunLog {
  const folder = join(runsFolder(home), header.run_id);
  makeFolder(folder);
  // Before the header: a run that can be found has an owner.
  const owned = ownFolder(folder);
  // The home may lie in the workspace: what we write there is no work of the agent.
  if (!existsSync(join(home, ".gitignore"))) atomicWrite(join(home, ".gitignore"), "*\n");
  atomicWrite(join(folder, "run.json"), `${JSON.stringify(header)}\n`);
  return openLog(folder, owned);
}

function openLog(folder: string, owned: Disposable): RunLog {
  const file = openSync(join(folder, "log.jsonl"), "a", 0o600);
  let refused: unknown;
  return {
    folder,
    refusal: () => refused,
    append(line) {
      // A log that lost a line takes no other: a shorter one might still fit, and hide the gap.
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

/** Keeps how a run ended, and of a staged one what brings its result back. */
export function writeRunEnd(folder: string, end: StoredEnd): void {
  const base = startOfLog(folder)?.base ?? null;
  if (base !== null) atomicWrite(join(folder, "base.json"), JSON.stringify(base));
  atomicWrite(join(folder, "closed.json"), `${JSON.stringify(end)}\n`);
  cleanRun(folder);
}

/** Removes what nobody needs of a run that has ended. While the log is there, the cleaning is not done, and its owner must be known. */
export function cleanRun(folder: string): void {
  const stage = startOfLog(folder);
  removeStage(stage?.mode === "staged" ? stage.root : stageFolder(basename(folder)));
  for (const name of ["cancel", "snapshots", "stage-snapshots", "lay-out.index", "log.jsonl", ...OWNER_FILES])
    rmSync(join(folder, name), { recursive: true, force: true });
}

export const isClean = (folder: string) => !existsSync(join(folder, "log.jsonl"));

const START_BYTES = 4 * 1024 * 1024;

/** The line about the workspace, which is one of the first. */
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

/** What the workspace of a staged run was when the run began; undefined for other runs. */
export const keptStage = (folder: string) => readIf(join(folder, "base.json"), StoredSnapshot);

interface Schema<Value> {
  safeParse(value: unknown): { readonly success: true; readonly data: Value } | { readonly success: false };
}

export function readIf<Value>(path: string, schema: Schema<Value>): Value | undefined {
  try {
    const parsed = schema.safeParse(parseJson(readFileSync(path, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Not there, or not whole: then it was never written.
    return undefined;
  }
}

/** Every whole line of the log of a killed run. */
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
    // The last line of a killed run may be cut.
    return undefined;
  }
}
