import { existsSync } from "node:fs";
import { join } from "node:path";
import { foldersDown } from "../install/walk-folders.ts";
import { namePaths, type ReadingParts, readInstruction } from "../install/instruction-file.ts";
import type { CodexFile } from "./files.ts";

interface Place extends ReadingParts {
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

const MAX_BYTES = 1024 * 1024;

/** Hooks that `signalbox stage` wrote do not count: the launch installs the same. */
function hasOtherHooks(path: string, place: Place): boolean {
  const file = readInstruction(path, MAX_BYTES, place);
  if (file === undefined) return false;
  if ("problem" in file) return true;
  const commands = [...file.text.matchAll(/"command"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(([, command]) => command ?? "");
  return commands.length === 0 || !commands.every((command) => command.includes(".codex/hooks/signalbox"));
}
