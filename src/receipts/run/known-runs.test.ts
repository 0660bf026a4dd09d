import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { findActiveRun, findRun } from "./known-runs.ts";

const ids = { one: "aaaa1111-0000-4000-8000-000000000001", other: "aaaa2222-0000-4000-8000-000000000002" };

/** A home with these runs, in start order. A run without an end is still active. */
function homeWith(runs: readonly { readonly id: string; readonly ended?: string }[]): string {
  const home = tempFolder();
  for (const [index, { id, ended }] of runs.entries()) {
    const header = {
      run_id: id,
      work_order_id: id,
      task: "t",
      agent: "mock",
      mode: "staged",
      root: "/w",
      started_at: `2026-01-01T00:00:0${index}.000Z`,
      owner: { pid: 1, started: "1" },
    };
    const closed = { outcome: "complete", exit_code: 0, because: "done", finished_at: ended, receipt_sha256: "h" };
    writeFiles(join(home, "runs", id), {
      "run.json": JSON.stringify(header),
      ...(ended === undefined ? {} : { "closed.json": JSON.stringify(closed) }),
    });
  }
  return home;
}

test("a run is found by its id and by a beginning that no other run shares", () => {
  const home = homeWith([{ id: ids.one }, { id: ids.other }]);
  expect([ids.one, "aaaa2"].map((name) => findRun(home, name).header.run_id)).toEqual([ids.one, ids.other]);
  expect(() => findRun(home, "aaaa")).toThrow("2 runs match");
  for (const name of ["", "aaa", "bbbb", "aaaa1111x", "last"])
    expect(() => findRun(home, name), name).toThrow("no such run");
});

test("last is the run that ended last, whichever began last", () => {
  const home = homeWith([
    { id: ids.one, ended: "2026-01-01T00:09:00.000Z" },
    { id: ids.other, ended: "2026-01-01T00:05:00.000Z" },
    { id: "bbbb3333-0000-4000-8000-000000000003" },
  ]);
  expect(findRun(home, "last").header.run_id).toBe(ids.one);
});

test("to cancel, last is the active run that began last", () => {
  const active = "cccc4444-0000-4000-8000-000000000004";
  const home = homeWith([{ id: ids.one }, { id: active }, { id: ids.other, ended: "2026-01-01T00:05:00.000Z" }]);
  expect(findActiveRun(home, "last").header.run_id).toBe(active);
  expect(findActiveRun(home, "aaaa1").header.run_id).toBe(ids.one);
  expect(() => findActiveRun(home, "aaaa")).toThrow("2 runs match");
  const idle = homeWith([{ id: ids.one, ended: "2026-01-01T00:05:00.000Z" }]);
  expect(() => findActiveRun(idle, "last")).toThrow("no such run");
});
