import { expect, test } from "vitest";
import { type Status, statusLine, timeOf } from "./status-line.ts";
import { styleFor } from "./style.ts";

const style = styleFor({ NO_COLOR: "1" });
// oxlint-disable-next-line no-control-regex -- colours
const shown = (status: Status, width: number) => statusLine(status, width, style).replaceAll(/\u001b\[\d*m/g, "");

const STATUS: Status = {
  model: "anthropic/claude-haiku-4-5",
  effort: "high",
  mode: "ask",
  isContained: true,
  branch: "main",
  window: 200_000,
  context: 12,
  cost: 0.042,
  worked: 125_000,
  isWorking: true,
};

test("one line says what a session is and costs", () => {
  expect(shown(STATUS, 120)).toBe(
    "anthropic/claude-haiku-4-5 high · ask · sandbox · main · 12% context · $0.042 · 2:05 · esc interrupts",
  );
  const bare = { ...STATUS, effort: undefined, isContained: undefined, branch: undefined, context: undefined };
  expect(shown({ ...bare, cost: undefined, worked: 0, isWorking: false }, 120)).toBe(
    "anthropic/claude-haiku-4-5 · ask",
  );
});

test("where there is no room, what matters least goes first, and the mode stays", () => {
  expect(shown(STATUS, 60)).toBe("anthropic/claude-haiku-4-5 high · ask · sandbox");
  expect(shown(STATUS, 20)).toBe("ask · sandbox");
  expect(shown(STATUS, 4)).toBe("ask");
});

test("a time is short", () => {
  expect([8_400, 61_000, 3_725_000].map(timeOf)).toEqual(["8 s", "1:01", "1:02:05"]);
});
