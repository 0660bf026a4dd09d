import { join } from "node:path";

export const userMcpFile = (home: string) => join(home, "mcp.json");
export const projectMcpFile = (workspace: string) => join(workspace, ".signalbox", "mcp.json");

/** The files that may name servers, those first that win where two name the same. */
export const mcpFiles = (home: string, workspace: string) => [
  { path: userMcpFile(home), source: "user" as const },
  ...[projectMcpFile(workspace), join(workspace, ".mcp.json")]
    // In the home folder, both files are one.
    .filter((path) => path !== userMcpFile(home))
    .map((path) => ({ path, source: "project" as const })),
];
