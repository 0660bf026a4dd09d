import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { isInside } from "../../lib/path/inside.ts";

const TEXTS = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"];

/** An instruction file in one of these folders that is a link to anything but a Markdown file of the workspace. */
export function leadingText(folders: readonly string[], workspace: string): string | undefined {
  const own = folders.filter((folder) => isInside(folder, workspace));
  const files = own.flatMap((folder) => [
    ...TEXTS.map((name) => join(folder, name)),
    ...namesIn(join(folder, ".github/instructions")).map((name) => join(folder, ".github/instructions", name)),
  ]);
  return files.find((path) => {
    try {
      const real = realpathSync(path);
      return lstatSync(path).isSymbolicLink() && !(isInside(real, workspace) && real.endsWith(".md"));
    } catch {
      // Nothing is there, or nothing behind the link.
      return false;
    }
  });
}
