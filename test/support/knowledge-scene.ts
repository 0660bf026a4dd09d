import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { KnowledgePlace } from "../../src/contract/knowledge.ts";
import { writeFiles } from "./git-repository.ts";
import { tempFolder } from "./temp-folder.ts";

/** A workspace and a home with these files; names that begin with `~/` are in the home. */
export function knowledgeScene(
  files: Readonly<Record<string, string | Buffer>>,
  more: Partial<KnowledgePlace> = {},
): KnowledgePlace {
  const workspace = tempFolder();
  const userHome = tempFolder();
  for (const [path, content] of Object.entries(files))
    writeFiles(path.startsWith("~/") ? userHome : workspace, { [path.replace("~/", "")]: content });
  return {
    workspace,
    cwd: workspace,
    userHome,
    signalboxHome: join(userHome, ".signalbox"),
    environment: {},
    mayRead: () => true,
    ...more,
  };
}

/** A link with its folder. */
export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
