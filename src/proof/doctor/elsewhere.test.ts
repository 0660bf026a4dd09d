import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openLaunchFolder } from "../../launch/run-folder.ts";
import { checkElsewhere } from "./machine.ts";

test("doctor names what may belong to a signalbox elsewhere, and a launch leaves it where it is", () => {
  const home = tempFolder();
  const older = join(home, "launches", `${"a".repeat(32)}.4000000`);
  mkdirSync(older, { recursive: true });
  using launch = openLaunchFolder(home, join(tempFolder(), "c".repeat(32)));
  expect([launch.isInHome, checkElsewhere(home)]).toEqual([
    true,
    {
      id: "elsewhere",
      status: "warn",
      summary: `left alone because another machine, container or older signalbox may still be using it: folders ${older}`,
      fix: "once you know it has ended: rm -r FOLDER",
    },
  ]);
});

test("what a killed launch of this machine left is removed by the next one, and a home without such things is fine", () => {
  const home = tempFolder();
  expect(checkElsewhere(home).status).toBe("ok");
  const left = join(home, "launches", `${"a".repeat(32)}.1`);
  mkdirSync(left, { recursive: true });
  using mine = openLaunchFolder(home, join(tempFolder(), "b".repeat(32)));
  const { folder } = mine;
  // As left by the previous boot of this machine.
  const owner = { ...JSON.parse(readFileSync(join(folder, "owner.json"), "utf8")), boot: "before" };
  writeFileSync(join(left, "owner.json"), JSON.stringify(owner));
  using _ = openLaunchFolder(home, join(tempFolder(), "c".repeat(32)));
  expect([existsSync(left), existsSync(folder), checkElsewhere(home).status]).toEqual([false, true, "ok"]);
});
