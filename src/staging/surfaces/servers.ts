import type { AgentName } from "../../contract/agent.ts";
import { tomlString } from "../../lib/inline-toml.ts";
import { isRecord, strings } from "../../lib/is-record.ts";
import type { Change } from "../change.ts";
import { NAME } from "../sources.ts";
import { tomlKey, tomlLine, tomlStrings } from "../toml.ts";
import type { ReadFile } from "./instructions.ts";

/** The MCP servers of `.signalbox/mcp.json`, where an agent looks for them. */
export function serverSurface(
  agent: AgentName,
  servers: Readonly<Record<string, unknown>>,
  read: ReadFile,
): { readonly changes: readonly Change[]; readonly problems: readonly string[] } {
  const entries = Object.entries(servers);
  const purpose = { agent, surface: "mcp" } as const;
  const wrong = entries.filter(([name, value]) => !NAME.test(name) || !isRecord(value)).map(([name]) => name);
  const right = entries.filter(([name]) => !wrong.includes(name));
  const problems = wrong.map(
    (name) => `.signalbox/mcp.json: the server ${JSON.stringify(name)} has no plain name or no settings`,
  );
  if (right.length === 0 || agent === "amplifier" || agent === "native") return { changes: [], problems };
  if (agent !== "codex") {
    const changes = right.map(([key, value]): Change => ({
      kind: "entry",
      path: ".mcp.json",
      at: ["mcpServers"],
      key,
      value,
      purpose,
    }));
    return { changes, problems };
  }
  const config = read(".codex/config.toml") ?? "";
  const own =
    config.slice(0, Math.max(config.indexOf("# signalbox:start"), 0)) ||
    (config.includes("# signalbox:start") ? "" : config);
  const taken = right.filter(([name]) => own.includes(`[mcp_servers.${name}]`)).map(([name]) => name);
  const free = right.filter(([name]) => !taken.includes(name));
  const text = free.flatMap(([name, value]) => (isRecord(value) ? [table(name, value)] : [])).join("\n\n");
  const changes: readonly Change[] =
    free.length === 0 ? [] : [{ kind: "block", path: ".codex/config.toml", comment: "hash", text, purpose }];
  return {
    changes,
    problems: [
      ...problems,
      ...taken.map((name) => `.codex/config.toml: the server ${name} is there already and is not ours`),
    ],
  };
}

const TEXTS = ["command", "url", "cwd"] as const;

function table(name: string, server: Readonly<Record<string, unknown>>): string {
  const lines = [`[mcp_servers.${tomlKey(name)}]`];
  for (const key of TEXTS) {
    const { [key]: value } = server;
    if (typeof value === "string") lines.push(tomlLine(key, value));
  }
  const args = strings(server["args"]);
  if (args !== undefined) lines.push(`args = ${tomlStrings(args)}`);
  const env = isRecord(server["env"]) ? Object.entries(server["env"]) : [];
  const pairs = env.flatMap(([key, value]) =>
    typeof value === "string" ? [`${tomlKey(key)} = ${tomlString(value)}`] : [],
  );
  if (pairs.length > 0) lines.push(`env = { ${pairs.join(", ")} }`);
  return lines.join("\n");
}
