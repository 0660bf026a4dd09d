import { setTimeout as sleep } from "node:timers/promises";
import type { CodeAnswer, CodeProblem, CodeQuestion, FileChange } from "../../contract/language-servers.ts";
import { isRecord } from "../../lib/is-record.ts";
import { type ServerPlace, startServer } from "../../tools/command/start-server.ts";
import type { FoundServer } from "../find/find-servers.ts";
import { endingOf, fileAddress } from "../read/file-address.ts";
import { readHover } from "../read/read-hover.ts";
import { readPlaces } from "../read/read-places.ts";
import { newProblems, readProblems } from "../read/read-problems.ts";
import { readSymbols } from "../read/read-symbols.ts";
import { openLink, type ServerLink } from "../wire/server-link.ts";
import { type RequestLimit, ServerError } from "../wire/requests.ts";
import { type Busy, busyServer } from "./busy.ts";
import { sourceChanges } from "./source-changes.ts";
import { greeting, type Offered, readOffered } from "./greeting.ts";
import { openDocument } from "./open-document.ts";
import { type ProblemBook, problemBook } from "./problem-book.ts";

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
