import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const made: string[] = [];
// A program that a test has told to end may write its last records after the test.
process.once("exit", () => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A private folder that is removed with the test, even while a program that is being ended still writes to it. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-test-")));
  made.push(folder);
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}

/** A fresh git repository in a private folder. */
export function tempRepository(): string {
  const folder = tempFolder();
  execFileSync("git", ["init", "-q", "-b", "main", folder]);
  return folder;
}
