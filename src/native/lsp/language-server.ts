import type {
  CodeAnswer,
  CodeProblem,
  CodeQuestion,
  FileChange,
  LanguageServers,
} from "../../contract/language-servers.ts";
import { interruptible, oneAtATime, whenAborted } from "../../lib/process/tasks.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { FoundServer } from "./find-servers.ts";
import { endingOf } from "./read-answers.ts";
import { type RunningServer, type RunPlace, runServer } from "./running-server.ts";

/** The language servers of a session, of which each starts with the first question about one of its files. */
export function openServers(found: readonly FoundServer[], place: LanguageServerPlace): LanguageServers {
  const live = found.map((server) => ({ server, live: languageServer(server, place) }));
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

export interface LanguageServerPlace extends RunPlace {
  /** How long the result of an edit may wait for the errors that it brought. */
  readonly editMs?: number | undefined;
}

export function languageServer(found: FoundServer, place: LanguageServerPlace): LanguageServer {
  const { editMs = EDIT_MS } = place;
  const ended = new AbortController();
  const inTurn = oneAtATime();
  let opening: Promise<RunningServer> | undefined;
  let isRunning = false;
  let ends = 0;
  let problem = "";

  const open = async (): Promise<RunningServer> => {
    try {
      const server = await runServer(found, place, ended.signal);
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
