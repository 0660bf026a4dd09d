import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { age, DAY } from "../../test/support/prune-scene.ts";
import { writeFiles } from "../../test/support/git-repository.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { ownFolder } from "../lib/process/folder-owner.ts";
import { findSnapshot, listSnapshots, pruneSaved, pruneSnapshots } from "./saved-session.ts";

const NOW = Date.now();

function homeWith(
  sessions: Readonly<Record<string, { readonly ended?: boolean; readonly version?: number; days: number }>>,
) {
  const home = tempFolder();
  for (const [id, { ended = true, version = 1, days }] of Object.entries(sessions)) {
    const at = new Date(NOW - days * DAY).toISOString();
    const snapshot = { digest: "d", parts: [] };
    const manifest = {
      version,
      id,
      agent: "a",
      workspace: "/w",
      started_at: at,
      ended_at: ended ? at : null,
      snapshot,
    };
    writeFiles(join(home, "snapshots", id), { "session.json": JSON.stringify(manifest), "store/x": "12345" });
    age(join(home, "snapshots", id), NOW - days * DAY);
  }
  return { home, order: { home, before: NOW - 30 * DAY, dryRun: false } };
}

test("old snapshots of the wanted kind go; young, unended, owned and newer ones stay", () => {
  const { home, order } = homeWith({
    "aaaa-old": { days: 60 },
    "aaaa-young": { days: 1 },
    "aaaa-unended": { days: 60, ended: false },
    "aaaa-owned": { days: 60, ended: false },
    "aaaa-newer": { days: 60, version: 2 },
    "bbbb-other": { days: 60 },
  });
  using _owner = ownFolder(join(home, "snapshots/aaaa-owned"));
  age(join(home, "snapshots/aaaa-owned"), NOW - 60 * DAY);
  const { pruned, kept } = pruneSaved(order, (id) => id.startsWith("aaaa"));
  expect(pruned.map(({ what }) => what)).toEqual(["snapshot aaaa-old"]);
  expect(kept.toSorted((one, other) => (one.what < other.what ? -1 : 1))).toEqual([
    { what: "snapshot aaaa-newer", because: "written by a newer signalbox (format 2); update signalbox" },
    { what: "snapshot aaaa-owned", because: "its session may still be active" },
    { what: "snapshot aaaa-unended", because: "its session may still be active" },
  ]);
  expect(readdirSync(join(home, "snapshots"))).toHaveLength(5);
});

test("a snapshot of a newer signalbox is named as such, and the usual clean-up leaves it alone", () => {
  const { home } = homeWith({ "cccc-newer": { days: 60, version: 2 } });
  pruneSnapshots(home);
  expect(listSnapshots(home)).toEqual([]);
  expect(() => findSnapshot(home, "cccc")).toThrow("written by a newer signalbox (format 2)");
  expect(readdirSync(join(home, "snapshots"))).toEqual(["cccc-newer"]);
});
