import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A private folder that goes away with the test. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A fresh git repository in a private folder. */
export function tempRepository(): string {
  const folder = tempFolder();
  execFileSync("git", ["init", "-q", "-b", "main", folder]);
  return folder;
}
