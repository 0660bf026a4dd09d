import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { userInfo } from "node:os";
import { expect, test } from "vitest";

test.each([
  [{ HOME: "/somewhere" }, "/somewhere/.signalbox"],
  [{ HOME: "/somewhere", SIGNALBOX_HOME: "/elsewhere" }, "/elsewhere"],
  [{ HOME: "/somewhere", SIGNALBOX_HOME: "relative" }, "/somewhere/.signalbox"],
  [{ HOME: "relative" }, join(userInfo().homedir, ".signalbox")],
])("with %j the folder is %s, never one in the folder where one stands", (env, expected) => {
  const program = `console.log((await import(${JSON.stringify(join(import.meta.dirname, "home-folder.ts"))})).signalboxHome())`;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", program], { env, encoding: "utf8" })).toBe(
    `${expected}\n`,
  );
});
