import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { runsFolders } from "./run-folder.ts";

test("runs are kept below the runtime folder too, if it is a whole path and nobody else may enter", () => {
  const runtime = tempFolder();
  const [own] = runsFolders({});
  expect(runsFolders({ XDG_RUNTIME_DIR: runtime })).toEqual([own, join(runtime, "signalbox")]);
  expect(runsFolders({ XDG_RUNTIME_DIR: "relative" })).toEqual([own]);
  chmodSync(join(runtime, "signalbox"), 0o755);
  expect(runsFolders({ XDG_RUNTIME_DIR: runtime })).toEqual([own]);
  const other = tempFolder();
  mkdirSync(join(other, "signalbox"), { mode: 0o700 });
  expect(runsFolders({ XDG_RUNTIME_DIR: other })).toEqual([own, join(other, "signalbox")]);
});
