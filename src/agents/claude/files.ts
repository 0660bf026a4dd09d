import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { filesBelow } from "../install/files-below.ts";

/** Files of a folder with which Claude Code starts programs. */
const STARTING = [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"];
/** Folders whose texts may bring hooks and servers of their own. */
const TEXTS = [".claude/skills", ".claude/commands", ".claude/agents", ".claude/workflows"];

export interface ClaudeFiles {
  /** Whatever of these folders may start a program, now or after its next change. */
  readonly files: readonly string[];
  /** Folders that nobody can trust file by file. */
  readonly unfit: readonly string[];
}

/** What Claude Code would load of these folders. Looks at no content: how a text spells its keys decides nothing. */
export function claudeFiles(folders: readonly string[]): ClaudeFiles {
  const files: string[] = [];
  const unfit: string[] = [];
  for (const folder of folders) {
    files.push(...STARTING.map((name) => join(folder, name)).filter((path) => existsSync(path)));
    for (const place of TEXTS.map((name) => join(folder, name))) {
      const found = filesBelow(place);
      // A plugin among the skills names programs in files of any name.
      if (found === undefined || found.some((path) => path.includes(`${sep}.claude-plugin${sep}`))) unfit.push(place);
      else files.push(...found.filter((path) => place.endsWith("workflows") || /\.md$/i.test(path)));
    }
  }
  return { files, unfit };
}
