import type { McpServer } from "../../contract/mcp-server.ts";
import { isTrusted, readTrust } from "../../guard/policy/trust.ts";
import { errorCode, messageOf } from "../../lib/text/user-error.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { mcpFiles } from "./mcp-files.ts";
import { readConfig } from "./server-config.ts";

export interface ServerPlaces {
  /** The user's signalbox folder. */
  readonly home: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Servers that an editor names. */
  readonly given?: readonly McpServer[] | undefined;
}

type ServerSource = "editor" | "user" | "project";

/** A server that some file or editor names, and whether it is used. */
export interface ConfiguredServer {
  readonly name: string;
  readonly source: ServerSource;
  /** The file, or `the editor`. */
  readonly where: string;
  readonly server?: McpServer | undefined;
  /** Why it is not used; undefined if it is. */
  readonly unused?: "not trusted" | "broken" | "replaced" | undefined;
  readonly because?: string | undefined;
}

export interface ConfiguredServers {
  readonly servers: readonly ConfiguredServer[];
  /** What the user should know, one line each, with the command that helps. */
  readonly notes: readonly string[];
}

const MAX_BYTES = 256 * 1024;

/**
 * Every server that is named for a workspace. The user's own file wins over the project's, so that a repository cannot
 * take the place of a server that a policy knows by name. Never throws.
 */
export function loadServers(places: ServerPlaces): ConfiguredServers {
  const { home, workspace, given = [] } = places;
  const notes: string[] = [];
  const found: ConfiguredServer[] = given.map((server) => ({
    name: server.name,
    source: "editor",
    where: "the editor",
    server,
  }));
  for (const { path, source } of mcpFiles(home, workspace)) {
    const { text, problem } = readText(path);
    if (problem !== undefined) notes.push(`ignoring ${path}: it cannot be read (${problem})`);
    if (text === undefined) continue;
    found.push(...serversIn(text, { path, source, places, notes }));
  }
  return { servers: withoutReplaced(found), notes };
}

interface FilePlace {
  readonly path: string;
  readonly source: "user" | "project";
  readonly places: ServerPlaces;
  readonly notes: string[];
}

function serversIn(text: string, { path, source, places, notes }: FilePlace): readonly ConfiguredServer[] {
  const { servers, problems, warnings } = readConfig(text, { file: path, environment: places.environment });
  const trusted = readTrust(places.home);
  const place = { source, where: path };
  if (source === "project" && !isTrusted(trusted, path, text)) {
    const why = trusted.some((file) => file.path === path) ? "it changed since you trusted it" : "it is not trusted";
    notes.push(`ignoring the MCP servers in ${path}: ${why}; to review it: signalbox trust`);
    return servers.map(({ name }) => ({ ...place, name, unused: "not trusted", because: why }));
  }
  notes.push(...warnings, ...problems.map(({ because }) => `${because}; to see all: signalbox mcp list`));
  return [
    ...servers.map((server) => ({ ...place, name: server.name, server })),
    ...problems.flatMap(({ name, because }) =>
      name === undefined ? [] : [{ ...place, name, unused: "broken" as const, because }],
    ),
  ];
}

function withoutReplaced(found: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  const taken = new Map<string, string>();
  return found.map((each) => {
    if (each.unused !== undefined) return each;
    const by = taken.get(each.name);
    if (by === undefined) taken.set(each.name, each.where);
    return by === undefined ? each : { ...each, unused: "replaced", because: `${by} names it too` };
  });
}

/** A FIFO, gigabytes or binary data are refused at once. Neither text nor problem: there is no such file. */
function readText(path: string): { readonly text?: string; readonly problem?: string } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(readBounded(path, MAX_BYTES).bytes) };
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? {} : { problem: code ?? messageOf(error) };
  }
}
