import { expect, test } from "vitest";
import { asks, call, calls, playTurns, says, sessionParts, tool } from "../../../test/support/scripted-session.ts";
import type { Message } from "../../contract/message.ts";
import { chooseModel } from "../../models/choose-model.ts";
import { CONTEXT_LIMITS } from "../../models/explain-failure.ts";
import { openModel } from "../../models/open-model.ts";
import { startScriptedModel } from "../../models/scripted/server.ts";
import { contextMeter } from "./context-window.ts";

const usage = (input: number) => ({ input, output: 5, cacheRead: 0, cacheWrite: 0 });
const words = (n: number) => "word ".repeat(n);
/** One token a word, as `count`; the provider's truth is another number. */
const count = (text: string) => text.split(" ").length - 1;

/** A conversation that grows by `step` words a turn, with a provider whose tokens are `truth` times ours. */
function talk(truth: number, reports: readonly ((tokens: number) => number | undefined)[]) {
  const meter = contextMeter(count);
  const history: Message[] = [asks(words(1000))];
  const request = { system: words(100), history, tools: [] };
  const errors: number[] = [];
  for (const report of reports) {
    const real = () => truth * (107 + history.reduce((sum, message) => sum + 4 + count(textOf(message)), 0));
    errors.push(Math.abs(meter.tokens(request) / real() - 1));
    meter.asked(request);
    const reported = report(real());
    meter.answered(reported === undefined ? undefined : usage(reported));
    history.push(says(words(300)), asks(words(200)));
  }
  return errors;
}

const textOf = (message: Message) =>
  message.role === "user"
    ? message.text
    : message.role === "assistant"
      ? JSON.stringify(message.parts[0]?.type === "text" ? message.parts[0].text : "")
      : "";

const truly = (tokens: number) => tokens;
const missing = () => undefined;

test.each([
  ["is right from the first answer on", 1, [truly, truly, truly, truly]],
  ["has tokens twice as large", 0.5, [truly, truly, truly, truly]],
  ["has tokens a third as large", 3, [truly, truly, truly, truly]],
  ["counts absurdly much at first", 1.7, [(t: number) => t * 3, truly, truly, truly]],
  ["counts nothing at first", 1.7, [() => 0, truly, truly, truly]],
  ["counts only what is not cached", 1.7, [truly, () => 12, () => 15, truly]],
  ["jumps once", 1.7, [truly, truly, (t: number) => t * 4, truly]],
  ["counts less than the time before", 1.7, [truly, truly, (t: number) => t * 0.4, truly]],
  ["is silent in between", 1.7, [truly, missing, missing, missing]],
  ["says nonsense", 1.7, [truly, () => Number.NaN, () => -5, () => 1e30]],
])("after three answers the count is close, with a provider that %s", (_, truth, reports) => {
  expect(talk(truth, reports).at(3)).toBeLessThan(0.1);
});

test("a provider that never counts leaves our own estimate", () => {
  expect(talk(1, [missing, missing, missing])).toEqual([0, 0, 0]);
});

test("after a history was rebuilt, the count of the long one does not linger", () => {
  const meter = contextMeter(count);
  const long = { system: "", history: [asks(words(5000))], tools: [] };
  meter.asked(long);
  meter.answered(usage(10_014));
  expect(meter.tokens(long)).toBe(10_014);
  expect(meter.tokens({ ...long, history: [asks(words(50))] })).toBeLessThan(150);
});

test("each message is counted once, however long the conversation gets", () => {
  let counted = 0;
  const meter = contextMeter((text) => {
    counted++;
    return text.length;
  });
  const history: Message[] = [];
  const request = { system: "s", history, tools: [] };
  for (let turn = 0; turn < 5_000; turn++) {
    history.push(asks(`prompt ${turn}`), says(`answer ${turn}`));
    meter.tokens(request);
    meter.asked(request);
    meter.answered(usage(100));
  }
  // One text for each message, and the system prompt.
  expect(counted).toBe(10_001);
});

const start = [
  asks("Read it all. Keep the tabs."),
  calls(call("c1", "read")),
  { role: "tool" as const, results: [{ callId: "c1", name: "read", text: "x ".repeat(3_000), failed: false }] },
  says("Read."),
  asks("And now?"),
];

test.each(CONTEXT_LIMITS)("the words of $from force a summary, and the request is made again", async ({ example }) => {
  const done = { text: "done", expect: { tools: ["read"] } };
  const refusal = { status: 400, body: { error: { message: example } } };
  const script = { turns: [done, done, { ...done, failures: [refusal] }], after: done, side: "Reading\nIt was read." };
  await using server = await startScriptedModel({ script });
  const model = openModel(chooseModel({ name: "compatible/m", baseUrl: `${server.url}/v1`, environment: {} }));
  const parts = sessionParts(model, { tools: [tool("read", () => ({ text: "", failed: false }))] });
  const { events, result } = await playTurns(start, { ...parts, processors: [parts.compaction] });
  expect(events).toContainEqual(expect.objectContaining({ type: "compaction-start", trigger: "forced" }));
  expect(result.reason).toBe("answered");
  expect(JSON.stringify(result.history)).toContain("Keep the tabs.");
});
