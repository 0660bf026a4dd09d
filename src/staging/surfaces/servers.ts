import type { ReadFile, TomlServers } from "../../agents/pack/surfaces.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Change, Purpose } from "../sources/change.ts";
import { NAME } from "../sources/sources.ts";
import type { StagedAgent } from "../sources/staged-agents.ts";

type Servers = readonly (readonly [name: string, value: unknown])[];

interface Planned {
  readonly changes: readonly Change[];
  readonly problems: readonly string[];
}

/** The MCP servers from `.signalbox/mcp.json`, in the file where an agent looks for them. */
export function serverSurface(
  { name: agent, surfaces }: StagedAgent,
  servers: Readonly<Record<string, unknown>>,
  read: ReadFile,
): Planned {
  const entries = Object.entries(servers);
  const purpose = { agent, surface: "mcp" } as const;
  const wrong = entries.filter(([name, value]) => !NAME.test(name) || !isRecord(value)).map(([name]) => name);
  const right = entries.filter(([name]) => !wrong.includes(name));
  const problems = wrong.map(
    (name) => `.signalbox/mcp.json: the server ${JSON.stringify(name)} has an invalid name or no settings`,
  );
  const { servers: place } = surfaces;
  if (right.length === 0 || place === undefined) return { changes: [], problems };
  if (place.form === "toml") {
    const planned = tomlServers(right, place, { purpose, text: read(place.path) ?? "" });
    return { ...planned, problems: [...problems, ...planned.problems] };
  }
  const { path, at } = place;
  return { changes: right.map(([key, value]) => ({ kind: "entry", path, at, key, value, purpose })), problems };
}

/** What is already in the file, since a table may appear only once. */
interface Present {
  readonly purpose: Purpose;
  readonly text: string;
}

function tomlServers(
  servers: Servers,
  { path, heading, table }: TomlServers,
  { purpose, text: now }: Present,
): Planned {
  const own =
    now.slice(0, Math.max(now.indexOf("# signalbox:start"), 0)) || (now.includes("# signalbox:start") ? "" : now);
  const conflicting = servers.filter(([name]) => own.includes(heading(name))).map(([name]) => name);
  const free = servers.filter(([name]) => !conflicting.includes(name));
  const text = free.flatMap(([name, value]) => (isRecord(value) ? [table(name, value)] : [])).join("\n\n");
  return {
    changes: free.length === 0 ? [] : [{ kind: "block", path, comment: "hash", text, purpose }],
    problems: conflicting.map((name) => `${path}: the server ${name} already exists and is not ours`),
  };
}
