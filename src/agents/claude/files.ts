import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { filesBelow } from "../install/files-below.ts";

/** Files of a folder from which Claude Code starts programs. */
const STARTING = [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"];
/** Folders whose files may define hooks and servers. */
const TEXTS = [".claude/skills", ".claude/commands", ".claude/agents", ".claude/workflows"];

export interface ClaudeFiles {
  /** Files that may start a program, now or after their next change. */
  readonly files: readonly string[];
  /** Folders that cannot be trusted file by file. */
  readonly unfit: readonly string[];
}

/** What Claude Code would load from these folders. The content is not considered, so no spelling of a key can hide one. */
export function claudeFiles(folders: readonly string[]): ClaudeFiles {
  const files: string[] = [];
  const unfit: string[] = [];
  for (const folder of folders) {
    files.push(...STARTING.map((name) => join(folder, name)).filter((path) => existsSync(path)));
    for (const place of TEXTS.map((name) => join(folder, name))) {
      const found = filesBelow(place);
      // A plugin among the skills can name programs in any of its files.
      if (found === undefined || found.some((path) => path.includes(`${sep}.claude-plugin${sep}`))) unfit.push(place);
      else files.push(...found.filter((path) => place.endsWith("workflows") || /\.md$/i.test(path)));
    }
  }
  return { files, unfit };
}
