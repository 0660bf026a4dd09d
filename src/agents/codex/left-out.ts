import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CodexFile } from "./files.ts";
import { foldersDown } from "../install/folders-down.ts";
import { type ReadingParts, readInstruction } from "../install/instruction-file.ts";
import { namePaths } from "../install/left-out.ts";

interface Place extends ReadingParts {
  readonly cwd: string;
}

/** What a headless Codex does not get of a repository's `.codex/`, a line for each reason. */
export function codexLeftOut(
  place: Place,
  strange: readonly CodexFile[],
  trusted: readonly CodexFile[],
): readonly string[] {
  const names = (paths: readonly string[]) => namePaths(paths, place.workspace);
  const never = neverLoaded(place, trusted);
  return [
    ...(strange.length === 0
      ? []
      : [
          `${names(strange.map(({ path }) => path))} of this repository may start programs and is not trusted: Codex gets AGENTS.md and the agents that are text, but no servers and no other agents; read it, then: signalbox trust`,
        ]),
    ...(never.length === 0
      ? []
      : [
          `without a person at the terminal Codex gets no settings, hooks and rules of ${names(never)}; put those you want into ~/.codex`,
        ]),
  ];
}

/** Whatever a trusted settings file holds beside its servers, rules, and hooks that are not ours. */
function neverLoaded(place: Place, trusted: readonly CodexFile[]): readonly string[] {
  const folders = foldersDown(place.cwd, place.workspace).map((folder) => join(folder, ".codex"));
  return [
    ...trusted.filter(({ table }) => Object.keys(table).some((key) => key !== "mcp_servers")).map(({ path }) => path),
    ...folders.map((folder) => join(folder, "rules")).filter((path) => existsSync(path)),
    ...folders.map((folder) => join(folder, "hooks.json")).filter((path) => hasOtherHooks(path, place)),
  ];
}

const MAX_BYTES = 1024 * 1024;

/** Hooks that `signalbox stage` wrote are not missed: the launch brings the same. */
function hasOtherHooks(path: string, place: Place): boolean {
  const file = readInstruction(path, MAX_BYTES, place);
  if (file === undefined) return false;
  if ("problem" in file) return true;
  const commands = [...file.text.matchAll(/"command"\s*:\s*("(?:[^"\\]|\\.)*")/g)].map(([, command]) => command ?? "");
  return commands.length === 0 || !commands.every((command) => command.includes(".codex/hooks/signalbox"));
}
