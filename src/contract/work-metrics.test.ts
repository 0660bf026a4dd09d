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

test("what was asked and called is kept since the last prompt, but no very long command", () => {
  const work = workCounter();
  const asked = (source: "person" | "gate", text: string) => work.message({ role: "user", source, text });
  const called = (name: string, input: Record<string, unknown>) =>
    work.message({ role: "assistant", parts: [{ type: "call", id: "c", name, input }], stop: "calls" });
  asked("person", "before");
  work.begin();
  asked("person", "go");
  asked("gate", "not yet");
  called("bash", { command: "ls" });
  called("bash", { command: "x".repeat(20_000) });
  called("read", { path: "a" });
  expect([work.recent.asked, work.recent.calls]).toEqual([
    ["go"],
    [{ name: "bash", command: "ls" }, { name: "bash" }, { name: "read" }],
  ]);
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
    { turns: 1, read: new Set(["/c"]), written: new Set(), commands: 0, lastCommand: "none", asked: [], calls: [] },
  ]);
});
