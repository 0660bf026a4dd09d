import type { FindStartingFiles } from "../pack/starting-files.ts";
import { startingAgents } from "./trusted-agents.ts";

export const startingFiles: FindStartingFiles = ({ workspace }) => {
  const found = startingAgents([workspace]).filter((path) => /\.md$/i.test(path));
  return { files: found.map((path) => ({ path })), unfit: [] };
};
