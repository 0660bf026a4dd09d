import type { McpServer } from "../../contract/mcp-server.ts";
import { currentFolder } from "../../lib/current-folder.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { nearest } from "../../lib/nearest.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { loadServers } from "../../mcp/config/load-servers.ts";
import { quoted } from "../sub-verbs.ts";

/** Everything that is configured for this folder. */
export const configured = () =>
  loadServers({ home: signalboxHome(), workspace: findWorkspace(currentFolder()), environment: process.env });

/** The server that a command names. One that is not used is refused with the reason. */
export function findServer(verb: string, name: string | undefined): McpServer {
  const { servers } = configured();
  const where = `signalbox mcp ${verb}`;
  if (name === undefined) throw new UserError("which server?", { where, fix: "pass its name from signalbox mcp list" });
  const named = servers.filter((each) => each.name === name);
  const used = named.find(({ server, unused }) => server !== undefined && unused === undefined);
  if (used?.server !== undefined) return used.server;
  const [other] = named;
  if (other?.unused === "not trusted")
    throw new UserError(`${name} is not used: ${other.because}`, {
      where: other.where,
      fix: "review it: signalbox trust",
      exitCode: EXIT.refused,
    });
  if (other !== undefined)
    throw new UserError(`${name} cannot be used`, { where: other.because ?? other.where, fix: "fix it in that file" });
  const meant = nearest(
    name,
    servers.map((each) => each.name),
  );
  throw new UserError(`there is no MCP server ${quoted(name)}`, {
    where,
    fix: meant === undefined ? "see signalbox mcp list" : `did you mean ${meant}?`,
  });
}
