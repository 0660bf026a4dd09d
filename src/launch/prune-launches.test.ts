import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { age, DAY } from "../../test/support/prune-scene.ts";
import { writeFiles } from "../../test/support/git-repository.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { ownFolder } from "../lib/process/folder-owner.ts";
import { pruneLaunches } from "./run-folder.ts";

test("what launches left goes when it is old; a launch that runs, starts, or may run elsewhere stays", () => {
  const home = tempFolder();
  const old = Date.now() - 60 * DAY;
  writeFiles(home, {
    "launches/left/x": "1",
    "launches/elsewhere/owner.json": JSON.stringify({
      pid: 1,
      started: "1",
      host: "another machine",
      boot: "another boot",
      space: "s",
      hostname: "h",
      lock: "",
    }),
    "launches/runs/x": "1",
    "kept/abc/hooks.json": "{}",
    "stops/0123": "2",
  });
  using _owner = ownFolder(join(home, "launches/runs"));
  age(home, old);
  writeFiles(home, { "launches/starts/x": "1", "kept/young/x": "1" });
  const order = { home, before: Date.now() + DAY, dryRun: false };
  const { kept } = pruneLaunches(order);
  expect(kept.toSorted((one, other) => (one.what < other.what ? -1 : 1))).toEqual([
    { what: "launch elsewhere", because: "it may still be running" },
    { what: "launch runs", because: "it may still be running" },
    { what: "launch starts", because: "it may just be starting" },
  ]);
  expect(["launches", "kept", "stops"].map((name) => readdirSync(join(home, name)).toSorted())).toEqual([
    ["elsewhere", "runs", "starts"],
    [],
    [],
  ]);
});
