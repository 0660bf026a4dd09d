import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type {
  CodeAnswer,
  CodeProblem,
  CodeQuestion,
  FileChange,
  LanguageServers,
} from "../../contract/language-servers.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { interruptible, oneAtATime, whenAborted } from "../../lib/process/tasks.ts";
import { messageOf } from "../../lib/text/user-error.ts";
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
import { type Busy, busyServer, openLink, type RequestLimit, ServerError, type ServerLink } from "./server-link.ts";

/** The language servers of a session, of which each starts with the first question about one of its files. */
export function openServers(found: readonly FoundServer[], setup: LanguageSetup): LanguageServers {
  const live = found.map((server) => ({ server, live: languageServer(server, setup) }));
  const liveFor = (path: string) => live.find(({ server }) => server.languages.has(endingOf(path)))?.live;
  const endings = found.flatMap(({ languages }) => [...languages.keys()]);
  return {
    endings,
    async ask(question, signal) {
      const server = liveFor(question.path);
      if (server === undefined)
        throw new Error(`no language server here knows this kind of file, only ${endings.join(" ")}`);
      return await server.ask(question, signal);
    },
    newErrors: async (change, signal) => await liveFor(change.path)?.newErrors(change, signal),
    async [Symbol.asyncDispose]() {
      await Promise.all(live.map((each) => each.live[Symbol.asyncDispose]()));
    },
  };
}

/** One language server of a session: started with the first question, and started again once if it ends by itself. */
export interface LanguageServer extends AsyncDisposable {
  ask(question: CodeQuestion, signal: AbortSignal): Promise<CodeAnswer>;
  /** Undefined if it is not running, or has no answer in time. Never throws. */
  newErrors(change: FileChange, signal: AbortSignal): Promise<readonly CodeProblem[] | undefined>;
}

const MAX_ENDS = 2;

const EDIT_MS = 3000;

export function languageServer(found: FoundServer, setup: LanguageSetup): LanguageServer {
  const { editMs = EDIT_MS } = setup;
  const ended = new AbortController();
  const inTurn = oneAtATime();
  let opening: Promise<RunningServer> | undefined;
  let isRunning = false;
  let ends = 0;
  let problem = "";

  const open = async (): Promise<RunningServer> => {
    try {
      const server = await runServer(found, setup, ended.signal);
      isRunning = true;
      void server.closed.then((why) => {
        [opening, isRunning, problem] = [undefined, false, why];
        ends++;
      });
      return server;
    } catch (error) {
      [opening, problem] = [undefined, messageOf(error)];
      ends++;
      throw error;
    }
  };
  const ready = async (): Promise<RunningServer> => {
    if (opening === undefined && ends >= MAX_ENDS)
      throw new Error(
        `it failed ${ends} times and is not started again in this session; use grep and read instead. The last time: ${problem}`,
      );
    return await (opening ??= open());
  };
  return {
    async ask(question, signal) {
      try {
        const work = inTurn(async () => {
          signal.throwIfAborted();
          return await (await interruptible(ready(), signal)).ask(question, signal);
        });
        return await interruptible(work, signal);
      } catch (error) {
        throw new Error(`the language server ${found.name}: ${messageOf(error)}`, { cause: error });
      }
    },
    async newErrors(change, signal) {
      if (!isRunning) return undefined;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(editMs)]);
      const work = inTurn(async () => {
        if (limit.aborted || !isRunning) return undefined;
        return await (await opening)?.newErrors(change, limit);
      }).catch(() => undefined);
      return await Promise.race([work, whenAborted(limit)]);
    },
    async [Symbol.asyncDispose]() {
      ended.abort(new Error("the session has ended"));
      await (await opening?.catch(() => undefined))?.end();
    },
  };
}

/** How language servers are started and asked. */
export interface LanguageSetup extends ServerPlace {
  readonly version: string;
  readonly startMs?: number | undefined;
  readonly requestMs?: number | undefined;
  /** How long the result of an edit may wait for the errors that it brought. */
  readonly editMs?: number | undefined;
}

/** A language server that has greeted us. It must be asked one thing at a time. */
interface RunningServer {
  ask(question: CodeQuestion, signal: AbortSignal): Promise<CodeAnswer>;
  newErrors(change: FileChange, signal: AbortSignal): Promise<readonly CodeProblem[] | undefined>;
  readonly closed: Promise<string>;
  end(): Promise<void>;
}

const START_MS = 60_000;

const REQUEST_MS = 30_000;

/** Starts a server and greets it. Throws an error that says what is wrong. */
async function runServer(found: FoundServer, setup: LanguageSetup, signal: AbortSignal): Promise<RunningServer> {
  const { workspace, version, startMs = START_MS, requestMs = REQUEST_MS } = setup;
  const title = `the language server ${found.name}`;
  const program = { title, command: found.program, args: found.args, env: {}, insideOnly: true };
  const [book, busy] = [problemBook(), busyServer()];
  const link = openLink(await startServer(program, setup), (method, params) => {
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
