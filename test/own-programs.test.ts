import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, writeFiles } from "./support/git-repository.ts";
import { scene } from "./support/native-scene.ts";
import { tempFolder } from "./support/temp-folder.ts";

/** A program that says that it ran, and with which environment. */
const telltale = (mark: string) => `#!/bin/sh\n/usr/bin/env >> '${mark}'\n`;

const NOTHING_DONE = { turns: [{ text: "Done!" }], after: { text: "Really done!" } };

test("a git that the workspace brings along is not started, whatever PATH says", async () => {
  const { cwd, run } = await scene(NOTHING_DONE);
  const mark = join(tempFolder(), "ran");
  for (const name of ["git", "mkfifo", "bash", "sh", "ps", "stty", "rg"]) {
    writeFiles(cwd, { [`node_modules/.bin/${name}`]: "" });
    writeFileSync(join(cwd, "node_modules/.bin", name), telltale(mark));
    git(cwd, "update-index", "--add", "--chmod=+x", `node_modules/.bin/${name}`);
  }
  git(cwd, "checkout-index", "--all", "--force");
  const env = { PATH: `${join(cwd, "node_modules/.bin")}:node_modules/.bin:${process.env["PATH"] ?? ""}` };
  const { code } = await run(["native", "-p", "go", "--accept", "false"], { env });
  expect([code, existsSync(mark)]).toEqual([4, false]);
});
