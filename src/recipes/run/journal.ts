import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { appendWhole } from "../../lib/files/atomic-write.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { UserError } from "../../lib/text/user-error.ts";
import type { StepEnd } from "./step-result.ts";

const Values = z.custom<Readonly<Record<string, unknown>>>((value) => typeof value === "object" && value !== null);

/** Hashes of a recipe's files. */
const RecipeFiles = z.array(z.object({ file: z.string(), sha256: z.string() }));
type RecipeFiles = z.infer<typeof RecipeFiles>;

/** The first line: what was started, so that it can be continued as it was. */
const RunHeader = z.object({
  t: z.literal("run"),
  run_id: z.string(),
  recipe: z.string(),
  /** As given on the command line. */
  word: z.string(),
  started_at: z.string(),
  files: RecipeFiles,
  context: Values,
  working_dir: z.string(),
  agent: z.string().nullable(),
});
export type RecipeRunHeader = z.infer<typeof RunHeader>;

const Line = z.discriminatedUnion("t", [
  RunHeader,
  z.object({ t: z.literal("begin"), key: z.string(), at: z.string() }),
  z.object({
    t: z.literal("end"),
    key: z.string(),
    /** False for a failure that ended the run; such a step is done again. */
    finished: z.boolean(),
    result: z.object({
      step_id: z.string(),
      status: z.enum(["completed", "skipped", "failed", "degraded", "blocked"]),
      output: z.string(),
      error: z.string(),
      duration: z.number(),
    }),
    values: Values,
  }),
  /** The recipe of a step, when it first started. */
  z.object({ t: z.literal("recipe"), key: z.string(), files: RecipeFiles }),
  /** What a repository had before the first step, and each time that changes were staged, as a tree object of it. */
  z.object({ t: z.literal("tree"), folder: z.string(), tree: z.string() }),
  z.object({ t: z.literal("resume"), at: z.string() }),
  z.object({ t: z.literal("receipt"), key: z.string(), run_id: z.string() }),
  z.object({ t: z.literal("closed"), success: z.boolean(), at: z.string() }),
]);
type JournalLine = z.infer<typeof Line>;

/** Tree objects of a repository: from before the first step, and from when changes were staged last. */
interface Trees {
  readonly before: string;
  readonly last: string;
}

/** The record of one run. A step is on disk before it starts and before its result is used. */
export interface Journal extends Disposable {
  begin(key: string): void;
  end(key: string, end: StepEnd, isFinished: boolean): void;
  receipt(key: string, runId: string): void;
  /** Notes the recipe of a step. False when it was another one before this run was resumed. */
  isSameRecipe(key: string, files: RecipeFiles): boolean;
  tree(folder: string, tree: string): void;
  treesOf(folder: string): Trees | undefined;
  closed(success: boolean): void;
  /** How a step ended that need not be done again. */
  finished(key: string): StepEnd | undefined;
  /** Receipts of agent steps, in order. */
  receipts(): readonly string[];
}

/** A journal that remembers nothing, for dry runs. */
export const NO_JOURNAL: Journal = {
  begin: () => {},
  end: () => {},
  receipt: () => {},
  isSameRecipe: () => true,
  tree: () => {},
  treesOf: () => undefined,
  closed: () => {},
  finished: () => undefined,
  receipts: () => [],
  [Symbol.dispose]() {},
};

const journalFile = (folder: string) => join(folder, "journal.jsonl");
const now = () => new Date().toISOString();

/** Starts the journal of a new run in its own folder. */
export function createJournal(folder: string, header: Omit<RecipeRunHeader, "t">): Journal {
  const descriptor = openSync(journalFile(folder), "ax", 0o600);
  append(descriptor, { t: "run", ...header });
  return journalOn(descriptor, []);
}

export interface RecordedRun {
  readonly header: RecipeRunHeader;
  readonly lines: readonly JournalLine[];
}

/** What a journal says. A last line that was cut off when signalbox was killed does not count. */
export function readJournal(folder: string): RecordedRun {
  const lines = existsSync(journalFile(folder)) ? parsedLines(readFileSync(journalFile(folder), "utf8")) : [];
  const [header] = lines;
  if (header?.t !== "run")
    throw new UserError("the journal of this run cannot be read", {
      where: folder,
      fix: "start the recipe again",
      exitCode: 1,
    });
  return { header, lines };
}

/** What a run did, without its steps. `success` is undefined for one that has not ended. */
export interface RecordedEnd {
  readonly header: RecipeRunHeader;
  readonly success: boolean | undefined;
}

/** The same from the first and the last line of a journal, which may be long. Undefined if it cannot be read. */
export function readJournalEnd(folder: string): RecordedEnd | undefined {
  if (!existsSync(journalFile(folder))) return undefined;
  const text = readFileSync(journalFile(folder), "utf8").trimEnd();
  const [header] = parsedLines(text.slice(0, text.indexOf("\n") >>> 0));
  const [last] = parsedLines(text.slice(text.lastIndexOf("\n") + 1));
  if (header?.t !== "run") return undefined;
  return { header, success: last?.t === "closed" ? last.success : undefined };
}

/** Opens the journal of a run to continue it. */
export function continueJournal(folder: string, { lines }: RecordedRun): Journal {
  const descriptor = openSync(journalFile(folder), "a", 0o600);
  // Ends a line that was cut off.
  appendWhole(descriptor, Buffer.from("\n"));
  append(descriptor, { t: "resume", at: now() });
  return journalOn(descriptor, lines);
}

function parsedLines(text: string): readonly JournalLine[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      const parsed = Line.safeParse(parseJson(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      // Cut off in the middle.
      return [];
    }
  });
}

function journalOn(descriptor: number, lines: readonly JournalLine[]): Journal {
  const known = new Map<string, StepEnd>();
  const recipes = new Map<string, string>();
  const trees = new Map<string, Trees>();
  const keep = (folder: string, tree: string) =>
    trees.set(folder, { before: trees.get(folder)?.before ?? tree, last: tree });
  const receipts: string[] = [];
  for (const line of lines) {
    if (line.t === "recipe") recipes.set(line.key, JSON.stringify(line.files));
    if (line.t === "end" && line.finished) known.set(line.key, { result: line.result, values: line.values });
    if (line.t === "tree") keep(line.folder, line.tree);
    if (line.t === "receipt") receipts.push(line.run_id);
  }
  return {
    begin: (key) => append(descriptor, { t: "begin", key, at: now() }),
    end: (key, { result, values }, finished) => append(descriptor, { t: "end", key, finished, result, values }),
    receipt(key, runId) {
      receipts.push(runId);
      append(descriptor, { t: "receipt", key, run_id: runId });
    },
    isSameRecipe(key, files) {
      const before = recipes.get(key);
      if (before === undefined) append(descriptor, { t: "recipe", key, files });
      return before === undefined || before === JSON.stringify(files);
    },
    tree(folder, tree) {
      keep(folder, tree);
      append(descriptor, { t: "tree", folder, tree });
    },
    treesOf: (folder) => trees.get(folder),
    closed: (success) => append(descriptor, { t: "closed", success, at: now() }),
    finished: (key) => known.get(key),
    receipts: () => [...receipts],
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

function append(descriptor: number, line: JournalLine): void {
  appendWhole(descriptor, Buffer.from(`${JSON.stringify(line)}\n`));
}
