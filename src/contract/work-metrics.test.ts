import { expect, test } from "vitest";
import { workCounter } from "./work-metrics.ts";

const ran = (exitCode: number | null) => ({ kind: "command", exitCode }) as const;
const wrote = { kind: "write", path: "/a", before: 1, after: 2 } as const;

test.each([
  [[], "none"],
  [[ran(0)], "succeeded"],
  [[ran(1)], "failed"],
  [[ran(null)], "succeeded"],
  [[ran(0), ran(1)], "succeeded"],
  [[ran(1), wrote], "failed"],
  [[ran(0), wrote], "succeeded"],
  [[ran(0), wrote, ran(1)], "failed"],
  [[ran(1), wrote, ran(0)], "succeeded"],
])("after %j the commands have %s", (deeds, lastCommand) => {
  const work = workCounter();
  work.deeds(deeds);
  expect(work.recent.lastCommand).toBe(lastCommand);
});

test("what was done is counted for the session and since the last prompt", () => {
  const work = workCounter();
  work.turn();
  work.deeds([wrote, ran(0), { kind: "read", path: "/b" }]);
  work.begin();
  work.turn();
  work.deeds([{ kind: "read", path: "/c" }]);
  expect([work.metrics, work.recent]).toEqual([
    { turns: 2, read: new Set(["/b", "/c"]), written: new Set(["/a"]), commands: 1, lastCommand: "succeeded" },
    { turns: 1, read: new Set(["/c"]), written: new Set(), commands: 0, lastCommand: "none" },
  ]);
});
