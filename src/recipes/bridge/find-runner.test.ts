import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { standInRunner } from "../../../test/support/stand-in-runner.ts";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { findRunner, RustRunnerNotFoundError, RustRunnerPermissionError } from "./find-runner.ts";

const NAME = "recipe-runner-rs";

function scene() {
  const [home, cwd] = [tempFolder(), tempRepository()];
  const put = (folder: string) => standInRunner(join(folder, NAME), "ok");
  return { home, cwd, put };
}

/** The class and message of the error that is thrown. */
function refusal(env: NodeJS.ProcessEnv, cwd: string) {
  try {
    return findRunner(env, cwd);
  } catch (error) {
    return error instanceof RustRunnerNotFoundError || error instanceof RustRunnerPermissionError
      ? { code: error.exitCode, message: error.message, where: error.where }
      : error;
  }
}

test("the order is the variable, PATH, ~/.cargo/bin, ~/.local/bin", () => {
  const { home, cwd, put } = scene();
  const [first, second] = [tempFolder(), tempFolder()];
  const found = (env: NodeJS.ProcessEnv) => {
    const { path, from } = findRunner({ HOME: home, ...env }, cwd);
    return [path, from];
  };
  const local = put(join(home, ".local/bin"));
  expect(found({ PATH: first })).toEqual([local, "known place"]);
  const cargo = put(join(home, ".cargo/bin"));
  expect(found({ PATH: first })).toEqual([cargo, "known place"]);
  const onPath = put(first);
  expect(found({ PATH: `${second}:${first}` })).toEqual([onPath, "PATH"]);
  const named = put(second);
  expect(found({ PATH: first, RECIPE_RUNNER_RS_PATH: named })).toEqual([named, "RECIPE_RUNNER_RS_PATH"]);
  expect(found({ PATH: first, RECIPE_RUNNER_RS_PATH: "" })).toEqual([onPath, "PATH"]);
});

test("a variable that names nothing usable is an error, although others are installed", () => {
  const { home, cwd, put } = scene();
  const folder = tempFolder();
  put(folder);
  const plain = join(home, "plain");
  writeFileSync(plain, "text", { mode: 0o644 });
  const messages = ["relative/runner", join(home, "missing"), home, plain].map((path) =>
    refusal({ HOME: home, PATH: folder, RECIPE_RUNNER_RS_PATH: path }, cwd),
  );
  expect(messages).toEqual(
    [
      ["relative/runner", "it is not an absolute path"],
      [join(home, "missing"), "there is no such program"],
      [home, "there is no such program"],
      [plain, "the program is not executable"],
    ].map(([where, problem]) => ({
      code: 3,
      message: `RustRunnerNotFoundError: RECIPE_RUNNER_RS_PATH is set, but cannot be used: ${problem}`,
      where,
    })),
  );
});

test("a runner inside the workspace is skipped, unless the variable names it", () => {
  const { home, cwd, put } = scene();
  const planted = put(join(cwd, "bin"));
  expect(refusal({ HOME: home, PATH: `${join(cwd, "bin")}:.:bin` }, cwd)).toEqual({
    code: 3,
    message: "RustRunnerNotFoundError: recipe-runner-rs was not found",
    where: expect.stringContaining(`skipped ${planted}: it is inside the workspace`),
  });
  expect(findRunner({ HOME: home, RECIPE_RUNNER_RS_PATH: planted }, cwd).path).toBe(planted);
});

test("a runner that others may write is refused: the file, its folder, or what a link leads through", () => {
  const { home, cwd, put } = scene();
  const loose = (path: string) => refusal({ HOME: home, RECIPE_RUNNER_RS_PATH: path }, cwd);
  const file = put(tempFolder());
  chmodSync(file, 0o757);
  const folder = tempFolder();
  const inside = put(join(folder, "open"));
  chmodSync(join(folder, "open"), 0o777);
  const link = join(tempFolder(), NAME);
  symlinkSync(inside, link);
  expect([loose(file), loose(inside), loose(link)]).toEqual(
    [
      [file, file],
      [inside, join(folder, "open")],
      [link, join(folder, "open")],
    ].map(([where, place]) => ({
      code: 1,
      message: `RustRunnerPermissionError: will not start ${where}: anyone on this machine can change ${place}`,
      where,
    })),
  );
  const sticky = join(tempFolder(), "sticky");
  mkdirSync(sticky);
  const kept = put(sticky);
  chmodSync(sticky, 0o1777);
  expect(findRunner({ HOME: home, RECIPE_RUNNER_RS_PATH: kept }, cwd).path).toBe(kept);
});
