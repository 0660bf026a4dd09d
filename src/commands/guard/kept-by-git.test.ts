import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { signalbox } from "../../../test/support/run-signalbox.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { keptByGit } from "./kept-by-git.ts";

test("only a file whose present content git has is kept", () => {
  const folder = repositoryWith({
    "same.txt": "a",
    "changed.txt": "a",
    "-n.txt": "a",
    "[a].txt": "a",
    "gone.txt": "a",
  });
  writeFileSync(join(folder, "changed.txt"), "b");
  writeFileSync(join(folder, "new.txt"), "a");
  rmSync(join(folder, "gone.txt"));
  const names = ["same.txt", "-n.txt", "[a].txt", "changed.txt", "new.txt", "gone.txt", ".", "none/x"];
  expect(names.filter((name) => keptByGit(join(folder, name)) === true)).toEqual(["same.txt", "-n.txt", "[a].txt"]);
  const elsewhere = join(tempFolder(), "a.txt");
  writeFileSync(elsewhere, "a");
  expect(keptByGit(elsewhere)).toBe(undefined);
});

test("guard explain allows what git has, and does not say of the rest that it is in no commit", async () => {
  const cwd = repositoryWith({ "same.txt": "a", "changed.txt": "a" });
  writeFileSync(join(cwd, "changed.txt"), "b");
  const explain = async (command: string) =>
    (await signalbox(["guard", "explain", "--contained", "yes", command], { cwd, env: { HOME: tempFolder() } })).stdout;
  expect(await explain("rm same.txt")).toMatch(/^ALLOW/);
  expect(await explain("rm changed.txt")).toMatch(
    /^ASK[^]*rm changed\.txt: removes files, and nothing tells whether they could be restored {2}\[effect:loses-work\]/,
  );
});
