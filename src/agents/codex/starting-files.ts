import { foldersDown } from "../install/walk-folders.ts";
import type { FindStartingFiles } from "../pack/starting-files.ts";
import { startingCodexFiles } from "./files.ts";

const what = "settings that let Codex start programs";

export const startingFiles: FindStartingFiles = ({ cwd, workspace }) => {
  const found = startingCodexFiles(foldersDown(cwd, workspace), { workspace, mayRead: () => true });
  return { files: found.map(({ path, text }) => ({ path, text, what })), unfit: [] };
};
