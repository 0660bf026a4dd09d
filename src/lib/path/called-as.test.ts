import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { calledAs } from "./package-folder.ts";

test("signalbox is named as the user can type it", () => {
  const root = tempFolder();
  const [program, other] = [join(root, "clone/bin/signalbox"), join(root, "other/signalbox")];
  for (const folder of ["clone/bin", "linked", "other", "clone/node_modules/.bin", "it's"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of [program, other]) writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync(program, join(root, "linked/signalbox"));
  symlinkSync(program, join(root, "clone/node_modules/.bin/signalbox"));
  const odd = join(root, "it's/signalbox");
  const called = (path: string, cwd = root, npm?: string) =>
    calledAs({ PATH: `/nowhere:relative:${join(root, path)}`, npm_command: npm }, cwd, program);

  expect(called("linked")).toBe("signalbox");
  expect(called("other")).toBe("./clone/bin/signalbox");
  expect(called("other", join(root, "clone"))).toBe("./bin/signalbox");
  expect(called("other", join(root, "other"))).toBe(program);
  expect(called("clone/node_modules/.bin", root, "exec")).toBe("npx signalbox");
  expect(called("linked", root, "exec")).toBe("signalbox");
  expect(calledAs({}, root, odd)).toBe(`'./it'\\''s/signalbox'`);
});
