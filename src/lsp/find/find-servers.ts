import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../lib/find-program.ts";
import { matchesSegment } from "../../lib/glob.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { MAX_SETTINGS, readBounded } from "../../lib/read-bounded.ts";
import { safePath } from "../../lib/safe-path.ts";
import { KNOWN_SERVERS, type KnownServer } from "./known-servers.ts";

/** A language server that can be started for a project. */
export interface FoundServer {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly options?: KnownServer["options"] | undefined;
  /** By file name ending, without those that another server answers for. */
  readonly languages: ReadonlyMap<string, string>;
}

interface Project {
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The language servers of a project: those on PATH, and those in its `node_modules`. Every session does this at its
 * start, so it reads one folder and looks only for the programs of languages that the project uses.
 */
export function findServers({ workspace, environment }: Project): readonly FoundServer[] {
  const names = namesIn(workspace);
  const wanted = KNOWN_SERVERS.filter(({ markers }) =>
    markers.some((marker) =>
      marker.includes("*") ? names.some((name) => matchesSegment(marker, name)) : names.includes(marker),
    ),
  );
  if (wanted.length === 0) return [];
  const path = safePath(environment, workspace);
  const taken = new Set<string>();
  return wanted.flatMap((server) => {
    const languages = new Map(Object.entries(server.languages).filter(([ending]) => !taken.has(ending)));
    const program =
      languages.size === 0
        ? undefined
        : findServer(server, path, names.includes("node_modules") ? workspace : undefined);
    if (program === undefined) return [];
    for (const ending of languages.keys()) taken.add(ending);
    return [{ name: server.program, program, args: server.args, options: server.options, languages }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // What cannot be listed has no language server.
    return [];
  }
}

/** The project's own comes first, since it fits the project's compiler. */
function findServer(
  { program, fromPackage, onlyFromPackage }: KnownServer,
  path: string,
  workspace: string | undefined,
): string | undefined {
  if (
    workspace !== undefined &&
    fromPackage !== undefined &&
    majorVersion(workspace, fromPackage.name) >= fromPackage.since
  ) {
    const own = findProgram(program, join(workspace, "node_modules", ".bin"));
    if (own !== undefined) return own;
  }
  return onlyFromPackage === true ? undefined : findProgram(program, path);
}

/** -1 if it is not installed. */
function majorVersion(workspace: string, name: string): number {
  try {
    const file = join(workspace, "node_modules", name, "package.json");
    const manifest = parseJson(readBounded(file, MAX_SETTINGS).bytes.toString("utf8"));
    const version = isRecord(manifest) ? manifest["version"] : undefined;
    return typeof version === "string" && /^\d/.test(version) ? Number.parseInt(version, 10) : -1;
  } catch {
    return -1;
  }
}
