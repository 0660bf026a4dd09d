import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { itemsForState, itemsForSummary, openWorkItems, todo, type WorkItems } from "./work-items.ts";

let items: WorkItems;

beforeEach(() => {
  items = openWorkItems(":memory:");
  return () => items[Symbol.dispose]();
});

const change = async (...changes: readonly Record<string, unknown>[]) => {
  const tool = todo(items);
  const context = { callId: "1", signal: new AbortController().signal, progress: () => {}, emit: () => {} };
  return (await tool.run(tool.input.parse({ items: changes }), context)).text;
};

test("items are added, changed and shown, with what they wait for", async () => {
  expect(await change()).toBe("(no items)");
  expect(
    await change({ id: "find-bug", title: "Find it" }, { id: "fix-bug", title: "Fix it", depends_on: ["find-bug"] }),
  ).toBe("[ ] find-bug: Find it\n[ ] fix-bug: Fix it (after find-bug)");
  expect(await change({ id: "find-bug", state: "done", artifacts: ["src/a.ts"], note: "null" })).toBe(
    "[x] find-bug: Find it – null {src/a.ts}\n[ ] fix-bug: Fix it (after find-bug)",
  );
  expect(items.open().map(({ id }) => id)).toEqual(["fix-bug"]);
});

test.each([
  [{ id: "a", depends_on: ["b"] }, "depends on itself"],
  [{ id: "b", state: "done" }, "b cannot be done before a"],
  [{ id: "c", state: "done" }, "unknown item c; a new one needs a title"],
  [{ id: "a", depends_on: ["zz"] }, "a depends on zz, which does not exist"],
])("%j is refused, and everything stays as it was", async (wrong, message) => {
  await change({ id: "a", title: "A" }, { id: "b", title: "B", depends_on: ["a"] });
  const before = items.list();
  await expect(change({ id: "d", title: "D" }, wrong)).rejects.toThrow(message);
  expect(items.list()).toEqual(before);
});

test("items survive in their file", () => {
  const file = join(tempFolder(), "items.db");
  const first = openWorkItems(file);
  expect([first.list(), existsSync(file)]).toEqual([[], false]);
  first.apply([{ id: "a", title: "A", state: "in_progress", note: "half" }]);
  first[Symbol.dispose]();
  const second = openWorkItems(file);
  expect(second.list()).toEqual([
    { id: "a", title: "A", state: "in_progress", note: "half", dependsOn: [], artifacts: [] },
  ]);
  second[Symbol.dispose]();
});

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
