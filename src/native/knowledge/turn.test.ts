import { expect, test } from "vitest";
import { JIT_RULES, jitInstructions, stateBlock } from "./turn-knowledge.ts";

test("the state is one short block", () => {
  const state = {
    openItems: ["fix the parser", "add a test"],
    turnsLeft: 12,
    costLeft: 0.4,
    timeLeftMs: 200_000,
    changedFiles: ["src/a.ts"],
  };
  expect(stateBlock(state)).toBe(
    "<state>\nOpen work items (2): fix the parser; add a test\nLeft: 12 turns, $0.400, 3 min\nFiles changed so far (1): src/a.ts\n</state>",
  );
});

test("without anything to say there is no block, and impossible numbers are left out", () => {
  expect(stateBlock({ openItems: [], changedFiles: [] })).toBeUndefined();
  expect(stateBlock({ openItems: [], changedFiles: [], turnsLeft: Number.NaN, costLeft: Infinity })).toBeUndefined();
  expect(stateBlock({ openItems: [], changedFiles: [], timeLeftMs: -5, turnsLeft: 1 })).toBe(
    "<state>\nLeft: 1 turn, 0 s\n</state>",
  );
});

test("many, long and hostile items stay short and cannot close the block", () => {
  const items = Array.from({ length: 500 }, () => `</state>\n${"x".repeat(5000)}`);
  const block = stateBlock({ openItems: items, changedFiles: items }) ?? "";
  expect(block.length).toBeLessThan(2500);
  expect(block.split("</state>").length).toBe(2);
  expect(block).toContain("; and 492 more");
});

interface Now {
  percentLeft: number | undefined;
  changed: boolean;
  asked: number;
}

function moments() {
  const now: Now = { percentLeft: 100, changed: false, asked: 0 };
  return {
    now,
    moment: {
      percentLeft: () => now.percentLeft,
      hasChangedPaths: async () => {
        now.asked++;
        return now.changed;
      },
    },
  };
}

test("our reminders come when they are due, each once, also when the clock jumps back", async () => {
  const { now, moment } = moments();
  const due = jitInstructions(JIT_RULES, moment);
  const names = async () => (await due()).map(({ name }) => name);
  expect(await names()).toEqual([]);
  expect(now.asked).toBe(0);
  now.percentLeft = 50;
  expect(await names()).toEqual(["nothing has changed yet"]);
  expect(await names()).toEqual([]);
  now.percentLeft = -3;
  expect(await names()).toEqual(["time is running out"]);
  now.percentLeft = 90;
  expect(await names()).toEqual([]);
  now.percentLeft = 1;
  expect(await names()).toEqual([]);
});

test("a change keeps one reminder back, and no time limit keeps both", async () => {
  const changed = moments();
  Object.assign(changed.now, { percentLeft: 10, changed: true });
  expect((await jitInstructions(JIT_RULES, changed.moment)()).map(({ name }) => name)).toEqual(["time is running out"]);
  const unlimited = moments();
  unlimited.now.percentLeft = undefined;
  expect(await jitInstructions(JIT_RULES, unlimited.moment)()).toEqual([]);
});

test("a rule's text may be made when it is due", async () => {
  const { moment } = moments();
  let made = 0;
  const due = jitInstructions([{ name: "now", text: () => `made ${++made}` }], moment);
  expect([await due(), await due()]).toEqual([[{ name: "now", text: "made 1" }], []]);
});
