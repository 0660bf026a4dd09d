import type { AssistantMessage } from "../../src/contract/message.ts";
import { type Model, type ModelRequest } from "../../src/models/model.ts";
import { estimateTokens, messageTokens, offerTokens, systemTokens } from "../../src/models/tokens.ts";
import { rehearsed, says } from "./scripted-session.ts";

interface SmallWindow {
  /** The tokens it takes. */
  readonly window: number;
  /** The agent's answer to its nth request, from 0. */
  readonly answer: (request: ModelRequest, n: number) => AssistantMessage;
  /** The summary that is written for the nth time, from 0. */
  readonly summary: (request: ModelRequest, n: number) => Promise<string> | string;
  /** What it reports for a request; by default what it really has. */
  readonly usage?: (tokens: number, n: number) => number | undefined;
}

export const isForSummary = ({ system }: ModelRequest) => system.startsWith("You write the summary");

/** The tokens of a request by our own count. */
const requestTokens = ({ system, history, tools }: ModelRequest) =>
  systemTokens(system, estimateTokens) +
  history.reduce((sum, message) => sum + messageTokens(message, estimateTokens), 0) +
  tools.reduce((sum, tool) => sum + offerTokens(tool, estimateTokens), 0);

/** A model with a small window that answers the agent and writes summaries. It keeps what it was asked. */
export function smallWindow({ window, answer, summary, usage = (tokens) => tokens }: SmallWindow) {
  const asked: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  const { model: bare } = rehearsed();
  const model: Model = {
    ...bare,
    limits: { prompt: window, output: undefined, from: "catalogue", family: "unknown", images: undefined },
    async *ask(request) {
      const kept = { ...request, history: [...request.history] };
      if (isForSummary(request)) {
        summaries.push(kept);
        yield { type: "answer", message: says(await summary(kept, summaries.length - 1)), usage: undefined };
        return;
      }
      asked.push(kept);
      const n = asked.length - 1;
      const input = usage(requestTokens(kept), n);
      const counted = input === undefined ? undefined : { input, output: 10, cacheRead: 0, cacheWrite: 0 };
      yield { type: "answer", message: answer(kept, n), usage: counted };
    },
  };
  return { model, asked, summaries };
}
