import { expect, test } from "vitest";
import { asks, call, calls, playTurns, says, sessionParts, tool } from "../../../test/support/scripted-session.ts";
import { chooseModel } from "../../models/choose-model.ts";
import { CONTEXT_LIMITS } from "../../models/explain-failure.ts";
import { openModel } from "../../models/open-model.ts";
import { startScriptedModel } from "../../models/scripted/server.ts";

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
