import { expect, test } from "vitest";
import type { Processor } from "./processor.ts";
import {
  asks,
  call,
  calls,
  fails,
  playTurns,
  rehearsed,
  says,
  sessionParts,
  tool,
} from "../../../test/support/scripted-session.ts";

const result = (callId: string, text: string, failed = false, name = "echo") => ({ callId, name, text, failed });

test("a request that is too large loses its images once, and then fails clearly", async () => {
  const image = { mediaType: "image/png", base64: "AAAA" };
  const look = tool("look", () => ({ text: "a picture", failed: false, images: [image] }));
  const lines = [calls(call("c1", "look")), fails("too-large"), fails("too-large")];
  const { model, requests } = rehearsed(...lines);
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model, { tools: [look] }));
  const note = "[image removed: the request was too large]";
  expect(requests.map(({ history }) => history.at(-1))).toEqual([
    asks("go"),
    { role: "tool", results: [{ ...result("c1", "a picture", false, "look"), images: [image] }] },
    { role: "tool", results: [result("c1", `a picture\n${note}`, false, "look")] },
  ]);
  expect(outcome).toMatchObject({
    reason: "failed",
    because:
      "the conversation is too large for the model, and cannot be shortened further (a too-large failure); use a model with a larger context, or start a new session",
  });
});

test("an image that the provider refuses is taken out, and the request is made again", async () => {
  const image = { mediaType: "image/png", base64: "AAAA" };
  const { model, requests } = rehearsed(fails("bad-image"), says("seen nothing"), says("never"));
  const history = [{ ...asks("look"), images: [image] }];
  const { events, result: outcome } = await playTurns(history, sessionParts(model));
  const without = asks("look\n[image removed: the provider refused it]");
  expect(requests.map(({ history: sent }) => sent)).toEqual([history, [without]]);
  // A session that is resumed has it without the image as well.
  expect(events).toContainEqual(expect.objectContaining({ type: "history-replaced", pieces: [{ add: without }] }));
  expect(outcome.reason).toBe("answered");
});

test("a refused image that is not in the history fails at once", async () => {
  const { model, requests } = rehearsed(fails("bad-image"), says("never"));
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model));
  expect([requests.length, outcome.reason]).toEqual([1, "failed"]);
});

test("a processor may shorten a history that is too large", async () => {
  const { model, requests } = rehearsed(fails("too-large"), says("fits"));
  const shorten: Processor = {
    name: "compaction",
    async *onRequestError() {
      yield { type: "history-replaced", pieces: [{ add: asks("short") }], because: "shorter" };
    },
  };
  const parts = sessionParts(model, { processors: [shorten] });
  const { result: outcome, events } = await playTurns([asks("very long")], parts);
  // The cause comes before what is done about it.
  expect(events.filter(({ type }) => type === "request-failed" || type === "history-replaced")).toEqual([
    { type: "request-failed", because: "a too-large failure", status: undefined, tries: 1, retryInMs: 0 },
    { type: "history-replaced", pieces: [{ add: asks("short") }], because: "shorter" },
  ]);
  expect(requests.map(({ history }) => history)).toEqual([[asks("very long")], [asks("short")]]);
  expect(outcome.history).toEqual([asks("short"), says("fits")]);
});
