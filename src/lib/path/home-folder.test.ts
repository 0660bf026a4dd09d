import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test.each([
  [{ HOME: "/somewhere" }, "/somewhere/.signalbox"],
  [{ HOME: "/somewhere", SIGNALBOX_HOME: "/elsewhere" }, "/elsewhere"],
])("with %j the folder is %s", (env, expected) => {
  const program = `console.log((await import(${JSON.stringify(join(import.meta.dirname, "home-folder.ts"))})).signalboxHome())`;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", program], { env, encoding: "utf8" })).toBe(
    `${expected}\n`,
  );
});

test.each([{ HOME: "/somewhere", SIGNALBOX_HOME: "relative" }, { HOME: "relative" }, { HOME: "" }])(
  "with %j there is none: it would be another one in every folder where one stands",
  (env) => {
    const program = `await import(${JSON.stringify(join(import.meta.dirname, "home-folder.ts"))}).then((it) => it.signalboxHome())`;
    const run = () => execFileSync(process.execPath, ["--input-type=module", "-e", program], { env, stdio: "pipe" });
    expect(run).toThrow(/is (?:not an absolute path|empty)/);
  },
);
