import { realpathSync } from "node:fs";
import type { ReadFile, TomlServers } from "../agents/pack/surfaces.ts";
import type { AgentName } from "../contract/agent.ts";
import { carriedHooks } from "../hooks/project/registration.ts";
import { isRecord } from "../lib/json/json-value.ts";
import type { Wanted } from "./apply.ts";
import { hookSurface, rememberedHooks, xpiaSurface } from "./hook-surface.ts";
import { lookAt } from "./repository-file.ts";
import type { Change, Purpose } from "./sources/change.ts";
import { NAME, readSources } from "./sources/sources.ts";
import { STAGED, type StagedAgent } from "./sources/staged-agents.ts";
import { instructionSurface, textSurfaces } from "./text-surface.ts";

export interface StageRequest {
  readonly root: string;
  /** The user's signalbox folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly agents: readonly AgentName[];
  readonly required: boolean;
  /** Also the historical entry points of the guard. */
  readonly xpia?: boolean;
}

interface StagePlan extends Wanted {
  readonly problems: readonly string[];
  /** What some agent does not get although the sources are fine, and why. */
  readonly notes: readonly string[];
}

/** Everything a repository should contain for these agents, and the problems that its own files cause. */
export function planStage(request: StageRequest): StagePlan {
  const root = realpathSync(request.root);
  const sources = readSources(root);
  const carried = carriedHooks({ workspace: root, folder: request.home }, request.env);
  const remembered = rememberedHooks(carried);
  const read = reader(root);
  const agents = STAGED.filter(({ name }) => request.agents.includes(name));
  const servers = agents.map((agent) => serverSurface(agent, sources.servers, read));
  const texts = agents.map((agent) => textSurfaces(agent, sources));
  const changes = agents.flatMap((agent, index) => [
    ...hookSurface(agent, remembered, request.required, read),
    ...(texts[index]?.changes ?? []),
    ...instructionSurface(agent, sources.instructions, read),
    ...(servers[index]?.changes ?? []),
  ]);
  const broken = carried.flatMap((hook) => (hook.broken === undefined ? [] : [`${hook.as}: ${hook.broken}`]));
  const problems = new Set([...sources.problems, ...broken, ...servers.flatMap((server) => server.problems)]);
  const notes = texts.flatMap((text) => text.notes);
  return {
    agents: agents.map(({ name }) => name),
    required: request.required,
    xpia: request.xpia === true,
    changes: request.xpia === true ? [...changes, ...xpiaSurface()] : changes,
    problems: [...problems],
    notes,
  };
}

/** Reads files as text. An unreadable file counts as missing here and is reported when it is written. */
function reader(root: string): ReadFile {
  return (path) => {
    try {
      return lookAt(root, path).bytes?.toString("utf8");
    } catch {
      return undefined;
    }
  };
}

type Servers = readonly (readonly [name: string, value: unknown])[];

interface Planned {
  readonly changes: readonly Change[];
  readonly problems: readonly string[];
}

/** The MCP servers from `.signalbox/mcp.json`, in the file where an agent looks for them. */
function serverSurface(
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
    const planned = tomlServers(right, place, purpose, read(place.path) ?? "");
    return { ...planned, problems: [...problems, ...planned.problems] };
  }
  const { path, at } = place;
  return { changes: right.map(([key, value]) => ({ kind: "entry", path, at, key, value, purpose })), problems };
}

/** `now` is what is already in the file, since a table may appear only once. */
function tomlServers(servers: Servers, { path, heading, table }: TomlServers, purpose: Purpose, now: string): Planned {
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
