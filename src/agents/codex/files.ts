import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { parseToml } from "../../lib/json/toml.ts";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { namePaths, type ReadingRights, readInstruction } from "../install/instruction-file.ts";
import { foldersDown } from "../install/walk-folders.ts";

type Table = Readonly<Record<string, unknown>>;

/** A settings file of Codex in a repository. */
export interface CodexFile {
  readonly path: string;
  readonly text: string;
  readonly table: Table;
}

const MAX_BYTES = 256 * 1024;
const MAX_AGENTS = 50;

/** The `.codex/config.toml` and the agents of these folders. Unreadable files are skipped. */
export function codexFiles(folders: readonly string[], reading: ReadingRights) {
  return {
    configs: folders.flatMap((folder) => readFile(join(folder, ".codex/config.toml"), reading)),
    agents: folders.flatMap((folder) => agentPaths(folder).flatMap((path) => readFile(path, reading))),
  };
}

function agentPaths(folder: string): readonly string[] {
  const place = join(folder, ".codex/agents");
  const names = namesIn(place).filter((name) => name.endsWith(".toml"));
  return names
    .toSorted()
    .slice(0, MAX_AGENTS)
    .map((name) => join(place, name));
}

function readFile(path: string, reading: ReadingRights): readonly CodexFile[] {
  const file = readInstruction(path, MAX_BYTES, reading);
  if (file === undefined || "problem" in file || file.cut || file.text.trim() === "") return [];
  const table = parseToml(file.text);
  return table === undefined ? [] : [{ path, text: file.text, table }];
}

/** The keys of an agent that `signalbox stage` writes. None of them can start a program. */
const TEXT_KEYS = ["name", "description", "model", "developer_instructions"];

/** True for an agent that only consists of text, so that it needs no trust. */
export const isTextAgent = ({ table }: { readonly table: Table }): boolean =>
  Object.entries(table).every(([key, value]) => TEXT_KEYS.includes(key) && typeof value === "string");

/** The files from which Codex may start programs: settings with servers, and agents with more than text. */
export function startingCodexFiles(folders: readonly string[], reading: ReadingRights): readonly CodexFile[] {
  const { configs, agents } = codexFiles(folders, reading);
  return [...configs, ...agents.filter((agent) => !isTextAgent(agent))];
}

/** Keys of Codex's `agents` table that are settings, not agents. */
const NO_AGENT = /^(?:max_|default_|job_|interrupt_|enabled$)/;
const NAME = /^[\w-]{1,64}$/;

/** The name of an agent; undefined for one that Codex would not accept. */
export function agentName({ path, table }: CodexFile): string | undefined {
  const { name } = table;
  const given = typeof name === "string" ? name : basename(path, ".toml");
  return NAME.test(given) && !NO_AGENT.test(given) ? given : undefined;
}

/** The servers in a settings file whose names Codex accepts. */
export function serversOf({ table }: CodexFile): Readonly<Record<string, Table>> {
  const servers = isRecord(table["mcp_servers"]) ? Object.entries(table["mcp_servers"]) : [];
  return Object.fromEntries(
    servers.flatMap(([name, server]) => (NAME.test(name) && isRecord(server) ? [[name, server]] : [])),
  );
}

interface Place extends ReadingRights {
  readonly cwd: string;
}

/** What a headless Codex does not get from a repository's `.codex/`, one line per reason. */
export function codexLeftOut(
  place: Place,
  untrusted: readonly CodexFile[],
  trusted: readonly CodexFile[],
): readonly string[] {
  const names = (paths: readonly string[]) => namePaths(paths, place.workspace);
  const never = neverLoaded(place, trusted);
  return [
    ...(untrusted.length === 0
      ? []
      : [
          `${names(untrusted.map(({ path }) => path))} in this repository can start programs and is not trusted: Codex gets AGENTS.md and text-only agents, but no servers and no other agents. Review it, then run: signalbox trust`,
        ]),
    ...(never.length === 0
      ? []
      : [
          `in a headless start Codex does not load the settings, hooks and rules of ${names(never)}; put what you need into ~/.codex`,
        ]),
  ];
}

/** Files that are never loaded: trusted settings with more than servers, rules, and hooks that are not ours. */
function neverLoaded(place: Place, trusted: readonly CodexFile[]): readonly string[] {
  const folders = foldersDown(place.cwd, place.workspace).map((folder) => join(folder, ".codex"));
  return [
    ...trusted.filter(({ table }) => Object.keys(table).some((key) => key !== "mcp_servers")).map(({ path }) => path),
    ...folders.map((folder) => join(folder, "rules")).filter((path) => existsSync(path)),
    ...folders.map((folder) => join(folder, "hooks.json")).filter((path) => hasOtherHooks(path, place)),
  ];
}

const MAX_HOOKS_BYTES = 1024 * 1024;

/** Hooks that `signalbox stage` wrote do not count: the launch installs the same. */
function hasOtherHooks(path: string, place: Place): boolean {
  const file = readInstruction(path, MAX_HOOKS_BYTES, place);
  if (file === undefined) return false;
  if ("problem" in file) return true;
  const commands = [...file.text.matchAll(/"command"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(([, command]) => command ?? "");
  return commands.length === 0 || !commands.every((command) => command.includes(".codex/hooks/signalbox"));
}
