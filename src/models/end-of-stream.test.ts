import { expect, test } from "vitest";
import { endOfStreamWatch } from "./send-http.ts";

const ENDS = ["data: [DONE]\n\n", "event: message_stop\ndata: {}\n\n", "event: response.completed\ndata: {}\n\n"];
const BEFORE = 'data: {"text":"data: [DONE] event: message_stop \\n data: [DONE]"}\n\n';

test.each(ENDS)("%j is seen, wherever the stream is cut into pieces", (end) => {
  const whole = `${BEFORE}${end}`;
  for (let cut = 0; cut <= whole.length; cut++) {
    const isOver = endOfStreamWatch();
    const seen = [isOver(Buffer.from(whole.slice(0, cut))), isOver(Buffer.from(whole.slice(cut)))];
    expect(seen.includes(true)).toBe(true);
  }
  expect(endOfStreamWatch()(Buffer.from(end))).toBe(true);
});

test("what a model says about such words is not one", () => {
  const isOver = endOfStreamWatch();
  expect(BEFORE.split("").some((letter) => isOver(Buffer.from(letter)))).toBe(false);
});
