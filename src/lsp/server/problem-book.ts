import type { CodeProblem } from "../../contract/language-servers.ts";
import { isRecord } from "../../lib/is-record.ts";
import { addressedPath } from "../read/file-address.ts";
import { readProblems } from "../read/read-problems.ts";

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
