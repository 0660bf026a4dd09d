import { expect, test } from "vitest";
import { itemsForState, itemsForSummary } from "./work-items.ts";

const item = (id: string, more: Partial<Parameters<typeof itemsForState>[0][number]> = {}) => ({
  id,
  title: `do ${id}`,
  state: "pending" as const,
  note: "",
  dependsOn: [],
  artifacts: [],
  ...more,
});

test("an item is told with what it waits for and what there is of it", () => {
  const items = [
    item("a", { state: "done", artifacts: ["a.ts"] }),
    item("b", { state: "dropped" }),
    item("c", { state: "in_progress", note: "half", dependsOn: ["a"], artifacts: ["c.ts", "1f2e3d"] }),
    item("d", { dependsOn: ["a", "c"] }),
  ];
  expect(itemsForState(items)).toEqual(["c: do c {c.ts, 1f2e3d}", "d: do d (after c)"]);
  expect(itemsForSummary(items)).toEqual([
    "Open work items:\n- c: do c (after a) – half {c.ts, 1f2e3d} (in_progress)\n- d: do d (after a, c) (pending)",
    "Closed work items with artifacts:\n- a: do a {a.ts} (done)",
  ]);
  expect([itemsForState([]), itemsForSummary([])]).toEqual([[], []]);
});

test("however many and long they are, what is told stays short", () => {
  const ids = Array.from({ length: 50 }, (_, n) => `${"i".repeat(50)}${n}`);
  const artifacts = ids.map((id) => id.repeat(10));
  const items = Array.from({ length: 500 }, (_, n) =>
    item(`x${n}`, { title: "t".repeat(200), note: "n".repeat(1000), dependsOn: ids, artifacts }),
  );
  const [open = ""] = itemsForSummary(items);
  expect(open.length).toBeLessThan(22_000);
  expect(open).toContain("- and 460 more: call todo to see them");
});
