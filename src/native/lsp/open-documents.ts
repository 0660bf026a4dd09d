import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { CodeProblem } from "../../contract/language-servers.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { addressedPath, endingOf, fileAddress, Range } from "./read-answers.ts";
import type { ServerLink } from "./server-link.ts";

interface Document {
  readonly path: string;
  readonly text: string;
  readonly language: string;
}

/**
 * Shows a server one document at a time. Everything else it reads from disk, so that it never works with an old text
 * of a file that a command has changed.
 */
export function openDocument(link: ServerLink, book: ProblemBook) {
  let open: Document | undefined;
  let version = 0;
  const close = () => {
    if (open !== undefined) link.notify("textDocument/didClose", { textDocument: { uri: fileAddress(open.path) } });
    open = undefined;
  };
  return {
    /** Makes this the open document, with this text. */
    show(document: Document) {
      const { path, text, language } = document;
      if (open?.path === path && open.text === text) return;
      book.expect({ path, version: ++version });
      const textDocument = { uri: fileAddress(path), version };
      if (open?.path === path) link.notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
      else {
        close();
        link.notify("textDocument/didOpen", { textDocument: { ...textDocument, languageId: language, text } });
      }
      open = document;
    },
    /** Tells the server that its text is now on disk. */
    saved() {
      if (open !== undefined) link.notify("textDocument/didSave", { textDocument: { uri: fileAddress(open.path) } });
    },
    /** Tells the server what has changed on disk. What was reported about the open document may be wrong now. */
    changed(files: readonly SourceChange[]) {
      if (files.length === 0) return;
      const changes = files.map(({ path, type }) => ({ uri: fileAddress(path), type }));
      link.notify("workspace/didChangeWatchedFiles", { changes });
      if (files.some(({ path }) => path !== open?.path)) close();
    },
  };
}

/** A file that changed on disk, with the protocol's number for how. */
interface SourceChange {
  readonly path: string;
  readonly type: 1 | 2 | 3;
}

const [CREATED, CHANGED, DELETED] = [1, 2, 3] as const;

/** Folders with code of others, or that tools fill. */
const SKIPPED = new Set(["node_modules", "target", "dist", "build", "vendor", "__pycache__", "venv"]);

const MAX_FILES = 20_000;

const MAX_FOLDERS = 5000;

/**
 * Looks for source files that commands have changed, because servers wait to be told. The first look tells nothing.
 * Folders of dependencies and hidden ones are left out, and so is what is beyond 20,000 files.
 */
export function sourceChanges(workspace: string, endings: ReadonlySet<string>): () => Promise<readonly SourceChange[]> {
  let known: ReadonlyMap<string, string> | undefined;
  return async () => {
    const before = known;
    const now = await look(workspace, endings);
    known = now;
    if (before === undefined) return [];
    const written = [...now]
      .filter(([path, state]) => before.get(path) !== state)
      .map(([path]) => ({ path, type: before.has(path) ? CHANGED : CREATED }));
    const deleted = [...before.keys()].filter((path) => !now.has(path)).map((path) => ({ path, type: DELETED }));
    return [...written, ...deleted];
  };
}

async function look(workspace: string, endings: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const folders = [workspace];
  for (let seen = 0; seen < MAX_FOLDERS && found.size < MAX_FILES; seen++) {
    const folder = folders.shift();
    if (folder === undefined) break;
    const entries = await entriesOf(folder);
    folders.push(...entries.filter(isSearched).map(({ name }) => join(folder, name)));
    const files = entries.filter((entry) => entry.isFile() && endings.has(endingOf(entry.name)));
    const states = await Promise.all(files.map(({ name }) => stateOf(join(folder, name))));
    for (const [path, state] of states.flatMap((each) => each ?? [])) found.set(path, state);
  }
  return found;
}

const isSearched = (entry: Dirent) => entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED.has(entry.name);

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // It was removed meanwhile, or may not be read.
    return [];
  }
}

async function stateOf(path: string): Promise<readonly [[string, string]] | undefined> {
  try {
    const { mtimeMs, size, ino }: Stats = await lstat(path);
    return [[path, `${mtimeMs} ${size} ${ino}`]];
  } catch {
    return undefined;
  }
}

/** What a server has reported about the document that is open. Reports about other files are not kept. */
export interface ProblemBook {
  /** Forgets everything, and from now on listens to reports about this version. */
  expect(document: { readonly path: string; readonly version: number }): void;
  /** Takes the parameters of a notification. */
  take(params: unknown): void;
  /**
   * What is reported, once no further report comes for a moment: servers report in steps. Undefined if none comes in
   * time.
   */
  settled(limit: {
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
  }): Promise<readonly CodeProblem[] | undefined>;
}

const QUIET_MS = 400;

export function problemBook(quietMs = QUIET_MS): ProblemBook {
  let expected: { readonly path: string; readonly version: number } | undefined;
  let reported: { readonly problems: readonly CodeProblem[]; readonly at: number } | undefined;
  let news = Promise.withResolvers<void>();
  return {
    expect(document) {
      [expected, reported] = [document, undefined];
    },
    take(params) {
      if (!isRecord(params) || typeof params["uri"] !== "string" || expected === undefined) return;
      if (addressedPath(params["uri"]) !== expected.path) return;
      const version = params["version"];
      if (typeof version === "number" && version !== expected.version) return;
      reported = { problems: readProblems(params["diagnostics"]), at: Date.now() };
      news.resolve();
      news = Promise.withResolvers();
    },
    async settled({ signal, timeoutMs }) {
      const end = Date.now() + timeoutMs;
      for (;;) {
        const quietAt = reported === undefined ? end : Math.min(reported.at + quietMs, end);
        if (signal.aborted || Date.now() >= quietAt) return reported?.problems;
        await either(news.promise, quietAt - Date.now(), signal);
      }
    },
  };
}

/** Waits for news, a time, or an interruption. */
async function either(news: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([news, promise]);
  clearTimeout(timer);
}

const Diagnostic = z.object({
  range: Range,
  severity: z.int().optional().catch(undefined),
  code: z
    .union([z.string().max(100), z.number()])
    .optional()
    .catch(undefined),
  source: z.string().max(100).optional().catch(undefined),
  message: z.string(),
});

const SEVERITIES = ["error", "warning", "information", "hint"] as const;

const MAX_PROBLEMS = 500;

/** The problems in a list of diagnostics; what is none is left out. */
export function readProblems(items: unknown): readonly CodeProblem[] {
  const list: readonly unknown[] = Array.isArray(items) ? items.slice(0, MAX_PROBLEMS) : [];
  return list
    .flatMap((item) => Diagnostic.safeParse(item).data ?? [])
    .map(({ range, severity = 1, source = "", code = "", message }) => {
      const from = `${source} ${code}`.trim();
      return {
        severity: SEVERITIES[severity - 1] ?? "information",
        line: range.start.line,
        message: shortLine(`${message.slice(0, 2000)}${from === "" ? "" : ` (${from})`}`, 500),
      };
    })
    .toSorted((one, other) => one.line - other.line);
}

/** The errors that were not there before. Lines move with a change, so they are not compared. */
export function newProblems(before: readonly CodeProblem[], after: readonly CodeProblem[]): readonly CodeProblem[] {
  const known = new Map<string, number>();
  for (const { message } of errors(before)) known.set(message, (known.get(message) ?? 0) + 1);
  return errors(after).filter(({ message }) => {
    const left = known.get(message) ?? 0;
    known.set(message, left - 1);
    return left <= 0;
  });
}

const errors = (problems: readonly CodeProblem[]) => problems.filter(({ severity }) => severity === "error");
