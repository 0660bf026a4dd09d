import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { age, DAY } from "../../../test/support/prune-scene.ts";
import { everything } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { emptyTrash } from "../../lib/files/prune.ts";
import { openPrivateHome, pruneHomes } from "./private-home.ts";

const NOW = Date.now();

test("a private home stays while a session uses it, and goes when it is old and unused", async () => {
  const home = tempFolder();
  const place = { signalboxHome: home, workspace: "/work/a", home: tempFolder(), environment: {} };
  const order = { home, before: NOW - 30 * DAY, dryRun: false };
  const [one, other] = [await openPrivateHome(place), await openPrivateHome(place)];
  one[Symbol.dispose]();
  const name = readdirSync(join(home, "homes"))[0] ?? "";
  expect(pruneHomes(order)).toEqual({ pruned: [], kept: [] });
  age(one.folder, NOW - 60 * DAY);
  expect(pruneHomes(order).kept).toEqual([{ what: `sandbox home ${name}`, because: "a session uses it" }]);
  other[Symbol.dispose]();
  const before = everything(home);
  expect(pruneHomes({ ...order, dryRun: true }).pruned).toHaveLength(1);
  expect(everything(home)).toEqual(before);
  expect(pruneHomes(order).pruned.map(({ what }) => what)).toEqual([`sandbox home ${name}`]);
  emptyTrash(home);
  expect([readdirSync(join(home, "homes")), readdirSync(join(home, "pruning"))]).toEqual([[], []]);
});
