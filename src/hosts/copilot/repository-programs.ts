import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { findWorkspace } from "../../lib/find-workspace.ts";

/** Files that make Copilot start programs in a trusted folder. */
const FILES = [
  ".mcp.json",
  ".github/mcp.json",
  ".vscode/mcp.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".github/copilot/settings.json",
  ".github/copilot/settings.local.json",
];
const HOOKS = ".github/hooks";

/** The first file of the repository around `cwd` that could make Copilot start programs once it trusts the folder. */
export function programFile(cwd: string): string | undefined {
  const here = realpathSync(cwd);
  const top = findWorkspace(here);
  for (let folder = here; ; folder = dirname(folder)) {
    const found = [
      ...FILES.filter((name) => existsSync(join(folder, name))),
      ...namesIn(join(folder, HOOKS))
        .filter((name) => name.endsWith(".json"))
        .map((name) => join(HOOKS, name)),
    ];
    if (found[0] !== undefined) return join(folder, found[0]);
    if (folder === top || folder === dirname(folder)) return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
