import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { CodeAnswer, CodeProblem, CodeQuestion, FileChange } from "../../contract/language-servers.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { type ServerPlace, startServer } from "../../sandbox/run/start-server.ts";
import type { FoundServer } from "./find-servers.ts";
import {
  newProblems,
  openDocument,
  type ProblemBook,
  problemBook,
  readProblems,
  sourceChanges,
} from "./open-documents.ts";
import { endingOf, fileAddress, readHover, readPlaces, readSymbols } from "./read-answers.ts";
import { openLink, type RequestLimit, ServerError, type ServerLink } from "./server-link.ts";

export interface RunPlace extends ServerPlace {
  readonly version: string;
  readonly startMs?: number | undefined;
  readonly requestMs?: number | undefined;
}

/** A language server that has greeted us. It must be asked one thing at a time. */
export interface RunningServer {
  ask(question: CodeQuestion, signal: AbortSignal): Promise<CodeAnswer>;
  newErrors(change: FileChange, signal: AbortSignal): Promise<readonly CodeProblem[] | undefined>;
  readonly closed: Promise<string>;
  end(): Promise<void>;
}

const START_MS = 60_000;

const REQUEST_MS = 30_000;

/** Starts a server and greets it. Throws an error that says what is wrong. */
export async function runServer(found: FoundServer, place: RunPlace, signal: AbortSignal): Promise<RunningServer> {
  const { workspace, version, startMs = START_MS, requestMs = REQUEST_MS } = place;
  const title = `the language server ${found.name}`;
  const program = { title, command: found.program, args: found.args, env: {}, insideOnly: true };
  const [book, busy] = [problemBook(), busyServer()];
  const link = openLink(await startServer(program, place), (method, params) => {
    if (method === "textDocument/publishDiagnostics") book.take(params);
    else if (method === "$/progress") busy.take(params);
  });
  try {
    const offered = readOffered(
      await link.request("initialize", greeting(workspace, version, found.options), { signal, timeoutMs: startMs }),
    );
    link.notify("initialized", {});
    const changed = sourceChanges(workspace, new Set(found.languages.keys()));
    await changed();
    return talk({ found, link, offered, book, busy, requestMs, changed });
  } catch (error) {
    await link.end();
    throw error;
  }
}

interface Talk {
  readonly found: FoundServer;
  readonly link: ServerLink;
  readonly offered: Offered;
  readonly book: ProblemBook;
  readonly busy: Busy;
  readonly requestMs: number;
  readonly changed: ReturnType<typeof sourceChanges>;
}

function talk(parts: Talk): RunningServer {
  const { found, link, book, requestMs, changed } = parts;
  const document = openDocument(link, book);
  let isFirst = true;
  const show = (path: string, text: string) => {
    const language = found.languages.get(endingOf(path)) ?? "plaintext";
    document.show({ path, text, language });
  };
  return {
    async ask(question, signal) {
      document.changed(await changed());
      show(question.path, question.text);
      if (isFirst) await parts.busy.begin(signal);
      isFirst = false;
      return await answer(question, { signal, timeoutMs: requestMs }, parts);
    },
    async newErrors({ path, before, after }, signal) {
      const limit = { signal, timeoutMs: requestMs };
      document.changed(await changed());
      if (before !== null) show(path, before);
      const had = before === null ? [] : await problemsIn(path, limit, parts).catch(() => undefined);
      // Even without an answer the server must learn of the change.
      show(path, after);
      document.saved();
      const has = await problemsIn(path, limit, parts);
      return had === undefined || has === undefined ? undefined : newProblems(had, has);
    },
    closed: link.closed,
    end: () => link.end(),
  };
}

const METHODS = {
  definition: "textDocument/definition",
  references: "textDocument/references",
  hover: "textDocument/hover",
  symbols: "textDocument/documentSymbol",
} as const;

async function answer(question: CodeQuestion, limit: RequestLimit, parts: Talk): Promise<CodeAnswer> {
  const { operation, path, position } = question;
  const { found, offered, busy } = parts;
  if (operation === "diagnostics") {
    const problems = await problemsIn(path, limit, parts);
    if (problems === undefined)
      throw new Error(`it reported nothing about this file within ${limit.timeoutMs / 1000} s`);
    return { problems, notes: unfinished(busy) };
  }
  if (!offered[operation]) throw new Error(`${found.name} does not offer ${operation}`);
  const result = await patiently(
    METHODS[operation],
    {
      textDocument: { uri: fileAddress(path) },
      position: { line: position.line, character: position.column },
      ...(operation === "references" ? { context: { includeDeclaration: true } } : {}),
    },
    { limit, parts },
  );
  const notes = unfinished(busy);
  if (operation === "hover") return { hover: readHover(result), notes };
  const read = operation === "symbols" ? readSymbols(result) : readPlaces(result);
  return { ...read, notes: [...read.notes, ...notes] };
}

const unfinished = ({ isBusy }: Busy) =>
  isBusy ? ["the server is still loading the project, so this may be incomplete"] : [];

/** A server that is still loading answers with nothing or too little, or asks to be asked again. */
async function patiently(
  method: string,
  params: object,
  { limit, parts }: { readonly limit: RequestLimit; readonly parts: Talk },
): Promise<unknown> {
  const { link, busy } = parts;
  for (let left = MAX_TRIES; ; left--) {
    const wasLoading = isLoading(busy);
    try {
      const result = await link.request(method, params, limit);
      const isEmpty = result === null || (Array.isArray(result) && result.length === 0);
      if (left <= 1 || !(isEmpty ? busy.isBusy : wasLoading || isLoading(busy))) return result;
    } catch (error) {
      if (!(error instanceof ServerError) || !AGAIN.has(error.code) || left <= 1) throw error;
      await sleep(AGAIN_MS, undefined, { signal: limit.signal });
    }
    await busy.rest(limit);
  }
}

/** Later work, such as checks after a save, does not make an answer incomplete. */
const isLoading = ({ rests, isBusy }: Busy) => rests === 0 && isBusy;

const MAX_TRIES = 4;

const AGAIN_MS = 200;

/** The protocol's "content modified" and "server cancelled". */
const AGAIN = new Set([-32801, -32802]);

/** The problems of the open document. Undefined if the server does not report in time. */
async function problemsIn(path: string, limit: RequestLimit, parts: Talk): Promise<readonly CodeProblem[] | undefined> {
  if (!parts.offered.asksDiagnostics) return await parts.book.settled(limit);
  const params = { textDocument: { uri: fileAddress(path) } };
  const report = await patiently("textDocument/diagnostic", params, { limit, parts });
  return readProblems(isRecord(report) ? report["items"] : undefined);
}

/** What a server offers, as far as we use it. */
interface Offered {
  readonly definition: boolean;
  readonly references: boolean;
  readonly hover: boolean;
  readonly symbols: boolean;
  /** Whether it can be asked for diagnostics; otherwise it reports them by itself. */
  readonly asksDiagnostics: boolean;
}

/** The parameters of the first request. We can show results and nothing else. */
const greeting = (workspace: string, version: string, options: object = {}) => ({
  initializationOptions: options,
  // A server in a sandbox does not see our process, and would end because it is gone.
  processId: null,
  clientInfo: { name: "signalbox", version },
  rootUri: fileAddress(workspace),
  workspaceFolders: [{ uri: fileAddress(workspace), name: "workspace" }],
  capabilities: {
    general: { positionEncodings: ["utf-16"] },
    window: { workDoneProgress: true },
    workspace: { configuration: true, workspaceFolders: true, applyEdit: false },
    textDocument: {
      synchronization: { didSave: true },
      definition: { linkSupport: true },
      references: {},
      hover: { contentFormat: ["plaintext", "markdown"] },
      documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      publishDiagnostics: { versionSupport: true },
      diagnostic: {},
    },
  },
});

const Provider = z
  .unknown()
  .optional()
  .transform((value) => value !== undefined && value !== null && value !== false);

const Greeted = z.object({
  capabilities: z.object({
    definitionProvider: Provider,
    referencesProvider: Provider,
    hoverProvider: Provider,
    documentSymbolProvider: Provider,
    diagnosticProvider: Provider,
    positionEncoding: z.literal("utf-16").optional(),
  }),
});

/** Reads the answer to the greeting. Throws if it is none. */
function readOffered(result: unknown): Offered {
  const { data } = Greeted.safeParse(result);
  if (data === undefined) throw new Error("its answer to the first request is not one of a language server");
  const { capabilities } = data;
  return {
    definition: capabilities.definitionProvider,
    references: capabilities.referencesProvider,
    hover: capabilities.hoverProvider,
    symbols: capabilities.documentSymbolProvider,
    asksDiagnostics: capabilities.diagnosticProvider,
  };
}

/** Whether a server says that it is still working, such as loading a project. */
interface Busy {
  readonly isBusy: boolean;
  /** How often it has come to rest. */
  readonly rests: number;
  /** Takes the parameters of a progress notification. */
  take(params: unknown): void;
  /** Waits until it is not busy, for a bounded time. */
  rest(limit: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<void>;
  /** Waits a moment for it to say that it is loading. Without that its first answers can be incomplete. */
  begin(signal: AbortSignal): Promise<void>;
}

const MAX_TASKS = 1000;

const STEP_MS = 50;

const BEGIN_MS = 300;

function busyServer(): Busy {
  const tasks = new Set<string>();
  let rests = 0;
  const wait = async (goesOn: () => boolean, ms: number, signal: AbortSignal) => {
    const end = Date.now() + ms;
    while (goesOn() && Date.now() < end && !signal.aborted)
      await sleep(STEP_MS, undefined, { signal }).catch(() => undefined);
  };
  return {
    get isBusy() {
      return tasks.size > 0;
    },
    get rests() {
      return rests;
    },
    take(params) {
      const { token, value } = isRecord(params) ? params : {};
      const kind = isRecord(value) ? value["kind"] : undefined;
      const task = String(token).slice(0, 200);
      if (kind === "begin" && tasks.size < MAX_TASKS) tasks.add(task);
      else if (kind === "end" && tasks.delete(task) && tasks.size === 0) rests++;
    },
    rest: ({ signal, timeoutMs }) => wait(() => tasks.size > 0, timeoutMs, signal),
    begin: (signal) => wait(() => tasks.size === 0 && rests === 0, BEGIN_MS, signal),
  };
}
