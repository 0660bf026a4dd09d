import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A private folder that is removed with the test, even while a program that is being ended still writes to it. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}

/** A fresh git repository in a private folder. */
export function tempRepository(): string {
  const folder = tempFolder();
  execFileSync("git", ["init", "-q", "-b", "main", folder]);
  return folder;
}
