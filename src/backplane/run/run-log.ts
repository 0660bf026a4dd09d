import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { parseExactJson } from "../../lib/exact-json.ts";
import { LogLine, RunClosed, RunHeader, StoredSnapshot } from "./run-record.ts";

/** The folder of one run while it is going on. */
export interface RunLog {
  readonly folder: string;
  /** On disk when it returns; a kill a moment later loses nothing. */
  append(line: LogLine): void;
  /** Whether somebody asked for the end of this run, and why. */
  cancelled(): string | undefined;
  /** Writes down how it ended and removes what nobody needs any more. */
  close(closed: RunClosed): void;
}

const runsFolder = (home: string) => join(home, "runs");
const cancelFile = (folder: string) => join(folder, "cancel");

/** Starts the log of a run. */
export function createRunLog(home: string, header: RunHeader): RunLog {
  const folder = join(runsFolder(home), header.run_id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The home may lie in the workspace: what we write there is no work of the agent.
  if (!existsSync(join(home, ".gitignore"))) atomicWrite(join(home, ".gitignore"), "*\n");
  atomicWrite(join(folder, "run.json"), `${JSON.stringify(header)}\n`);
  return openLog(folder);
}

function openLog(folder: string): RunLog {
  const file = openSync(join(folder, "log.jsonl"), "a", 0o600);
  return {
    folder,
    append(line) {
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    },
    cancelled: () => (existsSync(cancelFile(folder)) ? readFileSync(cancelFile(folder), "utf8") : undefined),
    close(closed) {
      closeSync(file);
      closeRun(folder, closed);
    },
  };
}

/** Keeps how a run ended, and of a staged one what brings its result back. */
export function closeRun(folder: string, closed: RunClosed): void {
  const stage = readRunLog(folder).find((line) => line.t === "workspace");
  if (stage !== undefined && stage.base !== null) atomicWrite(join(folder, "base.json"), JSON.stringify(stage.base));
  atomicWrite(join(folder, "closed.json"), `${JSON.stringify(closed)}\n`);
  for (const name of ["log.jsonl", "cancel", "snapshots", "stage-snapshots", "workspace", "lay-out.index"])
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** A run that is or was: without `closed` it is going on, or was killed. */
export interface KnownRun {
  readonly folder: string;
  readonly header: RunHeader;
  readonly closed: RunClosed | undefined;
}

/** Every run of this home, oldest first. A folder without a whole header never began. */
export function knownRuns(home: string): KnownRun[] {
  if (!existsSync(runsFolder(home))) return [];
  return readdirSync(runsFolder(home))
    .flatMap((name) => {
      const folder = join(runsFolder(home), name);
      const header = readIf(join(folder, "run.json"), RunHeader);
      return header === undefined ? [] : [{ folder, header, closed: readIf(join(folder, "closed.json"), RunClosed) }];
    })
    .toSorted((one, other) => (one.header.started_at < other.header.started_at ? -1 : 1));
}

/** What the workspace of a staged run was when the run began; undefined for other runs. */
export const keptStage = (folder: string) => readIf(join(folder, "base.json"), StoredSnapshot);

interface Schema<Value> {
  safeParse(value: unknown): { readonly success: true; readonly data: Value } | { readonly success: false };
}

function readIf<Value>(path: string, schema: Schema<Value>): Value | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Not there, or not whole: then it was never written.
    return undefined;
  }
}

/** Every whole line of the log of a run that was killed. */
export function readRunLog(folder: string): LogLine[] {
  const path = join(folder, "log.jsonl");
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((text) => {
      try {
        const parsed = LogLine.safeParse(parseExactJson(text));
        return parsed.success ? [parsed.data] : [];
      } catch {
        // The last line of a killed run may be cut.
        return [];
      }
    });
}

/** Asks for the end of a run; it looks for this itself. */
export function askToCancel(run: KnownRun, reason: string): void {
  atomicWrite(cancelFile(run.folder), reason);
}
