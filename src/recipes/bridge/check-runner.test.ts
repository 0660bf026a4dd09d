import { join } from "node:path";
import { expect, test } from "vitest";
import { standInRunner } from "../../../test/support/stand-in-runner.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { hashFile } from "../../lib/files/hash-file.ts";
import { checkRunner, RustRunnerVersionError } from "./find-runner.ts";

const environment = { PATH: "/usr/bin:/bin" };

const runner = (mode: string) => {
  const path = standInRunner(join(tempFolder(), "recipe-runner-rs"), mode);
  return { path, real: path, from: "PATH", warnings: [] } as const;
};

test("a usable runner has a version and a hash; 0.3.10 is newer than 0.3.5", async () => {
  const found = runner("ok");
  expect(await checkRunner(found, environment)).toEqual({
    ...found,
    version: "0.3.10",
    sha256: hashFile(found.path),
  });
});

test.each([
  ["version-fails", "'--version' exited with 9"],
  ["version-killed", "'--version' was killed by SIGKILL"],
  ["version-empty", "'--version' printed nothing"],
  ["version-hangs", "'--version' did not end within 0.3 s"],
  ["version-rubbish", "unparseable version 'recipe-runner from the future'"],
  ["version-old", "version 0.3.4 is older than the required minimum 0.3.5"],
])("%s is refused", async (mode, message) => {
  const checking = checkRunner(runner(mode), environment, mode === "version-hangs" ? 0.3 : 30);
  const error: unknown = await checking.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RustRunnerVersionError);
  expect(error).toMatchObject({ message: expect.stringContaining(message), exitCode: 1 });
});
