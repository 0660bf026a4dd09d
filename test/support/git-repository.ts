import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempRepository } from "./temp-folder.ts";

const IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "protocol.file.allow=always"];

/** Runs git as a person would. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", [...IDENTITY, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Writes files by their path; folders are made. */
export function writeFiles(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** A repository with one commit of these files. */
export function repositoryWith(files: Readonly<Record<string, string | Buffer>>): string {
  const root = tempRepository();
  writeFiles(root, files);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  return root;
}

/** Every byte below a folder, by path: equal before and after means that nothing was touched. */
export function everything(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.isFile(),
  );
  return Object.fromEntries(files.toSorted().map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}
