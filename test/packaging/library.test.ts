import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildLibrary } from "../../scripts/build-library.ts";
import { PROJECT } from "../support/run-signalbox.ts";
import { tempRepository } from "../support/temp-folder.ts";

test("the documented example runs against the built library, and its types hold", { timeout: 120_000 }, async () => {
  const cwd = tempRepository();
  const installed = join(cwd, "node_modules/signalbox");
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(PROJECT, "package.json"), join(installed, "package.json"));
  await buildLibrary(join(installed, "dist/library"));
  copyFileSync(join(PROJECT, "docs/examples/run-work-order.ts"), join(cwd, "example.ts"));
  for (const name of ["zod", "@types"])
    symlinkSync(join(PROJECT, "node_modules", name), join(cwd, "node_modules", name));
  writeFileSync(join(cwd, "package.json"), '{"type":"module"}');

  const env = { PATH: process.env["PATH"], HOME: join(cwd, "home") };
  const output = execFileSync(process.execPath, ["example.ts"], { cwd, env, encoding: "utf8" });
  expect(output.trim().split("\n")).toEqual([
    "run_started",
    "tool_call",
    "tool_result",
    "assistant_message",
    "run_completed",
    "complete accepted 0",
  ]);
  expect(existsSync(join(cwd, "made.txt"))).toBe(true);

  const strict = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "esnext",
    "--types",
    "node",
    "--skipLibCheck",
    "example.ts",
  ];
  expect(execFileSync(join(PROJECT, "node_modules/.bin/tsc"), strict, { cwd, encoding: "utf8" })).toBe("");
});
