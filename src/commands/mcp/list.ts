import manifest from "../../../package.json" with { type: "json" };
import { signalboxHome } from "../../lib/home-folder.ts";
import { printableLine } from "../../lib/printable.ts";
import { say } from "../../lib/say.ts";
import { EXIT } from "../../lib/user-error.ts";
import { redact } from "../../guard/redact/redact.ts";
import type { McpServer } from "../../contract/mcp-server.ts";
import { hasLogin } from "../../mcp/auth/token-store.ts";
import type { ConfiguredServer } from "../../mcp/config/load-servers.ts";
import { readList } from "../../mcp/list/list-cache.ts";
import type { CommandInput } from "../command-module.ts";
import { printJson } from "../flags.ts";
import { configured } from "./find-server.ts";

/** `signalbox mcp list`. Starts nothing. */
export function list({ flags }: CommandInput): number {
  const { servers, notes } = configured();
  const rows = servers.map(rowOf);
  if (flags["json"] === true) {
    printJson({ servers: rows, notes });
    return EXIT.ok;
  }
  if (rows.length === 0) process.stdout.write("no MCP servers; to add one: signalbox mcp add NAME -- PROGRAM\n");
  for (const { name, source, where, target, state, because, tools, login } of rows) {
    const facts = [
      state === "used" ? undefined : because === undefined ? state : `${state}: ${because}`,
      tools === undefined ? undefined : `${tools} tools`,
      login === true ? "logged in" : undefined,
    ].filter((fact) => fact !== undefined);
    const about = `${source}, ${where}${facts.length === 0 ? "" : `; ${facts.join("; ")}`}`;
    process.stdout.write(`${printableLine(`${name}  ${target ?? ""}`).trimEnd()}\n    ${printableLine(about)}\n`);
  }
  for (const note of notes) say(note);
  return EXIT.ok;
}

function rowOf({ name, source, where, server, unused, because }: ConfiguredServer) {
  const home = signalboxHome();
  const known = server === undefined ? undefined : readList(home, server, manifest.version);
  return {
    name,
    source,
    where,
    type: server?.type,
    target: server === undefined ? undefined : targetOf(server),
    state: unused ?? "used",
    because,
    /** How many, as far as known from the last time it ran. */
    tools: known?.tools.length,
    login: server === undefined || server.type === "stdio" ? undefined : hasLogin(home, server.url),
  };
}

/** What is started or asked, without secrets. */
function targetOf(server: McpServer): string {
  if (server.type === "stdio") return redact([server.command, ...server.args].join(" ")).text;
  const { origin, pathname } = new URL(server.url);
  return `${origin}${pathname}`;
}
