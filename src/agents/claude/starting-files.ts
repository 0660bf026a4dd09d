import type { FindStartingFiles } from "../pack/starting-files.ts";
import { claudeFiles } from "./settings.ts";

export const startingFiles: FindStartingFiles = ({ workspace }) => {
  const { files, unfit } = claudeFiles([workspace]);
  return { files: files.map((path) => ({ path })), unfit };
};
