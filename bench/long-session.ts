import { EngineSettings } from "../src/contract/engine-settings.ts";
import { call, calls, rehearsed, says, sessionParts, tool } from "../test/support/scripted-session.ts";
import { isForSummary } from "../test/support/small-window.ts";
import { converse } from "../src/native/session/conversation.ts";
import { newSessionId, sessionsFolder } from "../src/native/log/log-folder.ts";
import { createSession } from "../src/native/log/session-log.ts";

/** A window that such a session fills many times, so that its conversation is shortened again and again. */
const WINDOW = 20_000;

/** A session of so many tool turns in one process, with its log and without a wire: what the loops themselves cost. */
export async function longSession(turns: number, folder: string) {
  const now = Date.now;
  using session = createSession(
    { id: newSessionId(now()), cwd: folder, model: "rehearsed/model" },
    { folder: sessionsFolder(folder), now },
  );
  const lines = Array.from({ length: turns - 1 }, (_, n) => calls(call(`c${n}`, "note", { n })));
  // The rehearsed model keeps every request; that would be the test's own cost.
  const { model } = rehearsed();
  const forgetful = { ...model, limits: { ...model.limits, prompt: WINDOW }, ask: withoutKeeping(lines) };
  const note = tool("note", ({ n }) => ({ text: `noted ${String(n)}`, failed: false }));
  const settings = EngineSettings.parse({ turns: 100_000 });
  const conversation = converse(session, sessionParts(forgetful, { tools: [note], settings }));
  conversation.add("Note everything.");
  const ends: number[] = [];
  let summaries = 0;
  const started = performance.now();
  for await (const event of conversation.run(new AbortController().signal)) {
    if (event.type === "turn-end") ends.push(performance.now());
    if (event.type === "compaction-end") summaries++;
  }
  const perTurn = (from: number, to: number) => ((ends[to] ?? Number.NaN) - (ends[from] ?? Number.NaN)) / (to - from);
  const first = perTurn(0, 100);
  const last = perTurn(ends.length - 501, ends.length - 1);
  const round = (value: number) => Math.round(value * 1000) / 1000;
  return {
    turns: ends.length,
    summaries,
    totalMs: Math.round(performance.now() - started),
    first100MsPerTurn: round(first),
    last500MsPerTurn: round(last),
    growth: round(last / first),
  };
}

type Ask = ReturnType<typeof rehearsed>["model"]["ask"];

function withoutKeeping(lines: readonly ReturnType<typeof calls>[]): Ask {
  let asked = 0;
  return async function* ask(request) {
    if (isForSummary(request)) return yield { type: "answer", message: says("Notes\nNoted so far."), usage: undefined };
    yield { type: "answer", message: lines[asked++] ?? says("Done."), usage: undefined };
  };
}
