import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PROJECT } from "./run-signalbox.ts";

const SOURCE = readFileSync(join(PROJECT, "test/fixtures/recipes/stand-in-runner.sh"), "utf8");

/** Writes a stand-in for recipe-runner-rs that behaves as `mode` says. Returns its path. */
export function standInRunner(path: string, mode: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, SOURCE.replace("@MODE@", mode), { mode: 0o755 });
  return path;
}
